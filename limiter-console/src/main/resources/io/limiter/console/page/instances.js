/** The instances of the fleet. */
import {el, isolated, setText, visible} from './dom.js';
import {ago, percent, rate} from './format.js';
import {now, state} from './state.js';
import {t} from './words.js';

/** Of all instances together. */
export function backendState({instances}) {
  const down = instances.filter(instance => !instance.up).length;
  return {
    up: down === 0,
    text: instances.length === 0 ? '–'
      : down === 0 ? t('up')
      : down === instances.length ? t('down')
      : t('partly', down, instances.length),
  };
}

export function instancesView() {
  const body = el('tbody', {role: 'rowgroup'});
  const head = (word, number) => el('th', {scope: 'col', role: 'columnheader', className: number ? 'number' : null}, t(word));
  const table = el('div', {className: 'table'}, el('table', {role: 'table', 'aria-label': t('instances')},
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, head('instance'), head('redis'), head('version'),
      head('granted', true), head('rejected', true), head('lastReport', true))),
    body));
  const empty = el('div', {className: 'card empty'}, el('h2', {}, t('noInstances')), el('p', {}, t('noInstancesText')));
  const fallback = el('p', {className: 'muted', id: 'fallback'});
  const element = el('div', {}, el('div', {className: 'heading'}, el('h1', {}, t('instances'))), fallback, table, empty);
  const rows = new Map();

  function update() {
    const instances = state.fleet ? state.fleet.instances : [];
    setText(fallback, fallbackText());
    table.hidden = instances.length === 0;
    empty.hidden = instances.length > 0;
    const newest = Math.max(0, ...instances.map(instance => instance.version));
    const names = new Set(instances.map(instance => instance.name));
    for (const [name, row] of rows) {
      if (!names.has(name)) {
        row.element.remove();
        rows.delete(name);
      }
    }
    for (const instance of instances) {
      if (!rows.has(instance.name)) {
        rows.set(instance.name, instanceRow());
        body.append(rows.get(instance.name).element);
      }
      rows.get(instance.name).update(instance, newest);
    }
  }

  return {element, update};
}

/** How the instance that serves this page decides alone. */
function fallbackText() {
  const fallback = state.fleet?.fallback;
  return !fallback ? ''
    : fallback.share != null ? t('fallbackShare', fallback.instances, percent(fallback.share))
    : t('fallbackPolicy', fallback.instances, fallback.policy);
}

function instanceRow() {
  const cell = (word, className) => el('td', {role: 'cell', className: className || null, 'data-head': word ? t(word) : null});
  const name = cell(null, 'name');
  const title = el('bdi', {className: 'strong'});
  const problems = el('span', {className: 'definition is-warning'});
  name.append(title, problems);
  const backend = cell('redis');
  const version = cell('version');
  const granted = cell('granted', 'number is-granted');
  const rejected = cell('rejected', 'number');
  const last = cell('lastReport', 'number muted');
  return {
    element: el('tr', {role: 'row'}, name, backend, version, granted, rejected, last),
    update(instance, newest) {
      setText(title, visible(instance.name));
      setText(problems, instance.notApplied.map(each => `${isolated(each.prefix + each.name)}: ${isolated(each.why)}`).join(' '));
      setText(backend, instance.backend === 'available' ? t('up') : isolated(instance.backend));
      backend.classList.toggle('is-rejected', !instance.up);
      setText(version, instance.version < newest ? `${instance.version} (${t('behind', newest)})` : String(instance.version));
      version.classList.toggle('is-warning', instance.version < newest);
      setText(granted, rate(instance.granted));
      setText(rejected, rate(instance.rejected));
      rejected.classList.toggle('is-rejected', instance.rejected > 0);
      setText(last, ago(instance.at, now()));
    },
  };
}
