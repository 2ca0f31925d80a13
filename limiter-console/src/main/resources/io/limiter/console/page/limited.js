/** Who is limited now, and the keys that have a live limit. */
import {bansPart} from './bans.js';
import {el, isolated, named, setText, visible} from './dom.js';
import {ago, count, describe, ending} from './format.js';
import {keyActions, keyLink, keyOf, keySearch, noneText, planOf, removeButton} from './keys.js';
import {now, state} from './state.js';
import {sortedTable} from './table.js';
import {t} from './words.js';

const limited = {column: 'rejections', order: -1, page: 0};
const overrides = {column: 'ends', order: 1, page: 0};
const chosen = {limit: '', search: ''};

const code = text => el('span', {className: 'code'}, named(text));
const limitCell = row => el('a', {href: `#/limit/${encodeURIComponent(row.prefix)}/${encodeURIComponent(row.limit.name)}`},
  named(row.name));

/** Without plans: their keys are those of the limit. */
function limitsWithKeys() {
  const found = new Map();
  for (const limit of state.fleet ? state.fleet.limits : []) {
    const id = JSON.stringify([limit.prefix, limit.limiter]);
    if (!found.has(id) || planOf(limit) === '') {
      found.set(id, limit);
    }
  }
  return found;
}

export function limitedView({reload}) {
  let shownLimits = '';

  const limit = el('select', {
    id: 'key-limit', className: 'group', 'aria-label': t('limit'),
    onchange: () => {
      chosen.limit = limit.value;
    },
  });
  const key = el('input', {
    id: 'key', className: 'search', 'aria-label': t('enterKey'), placeholder: t('enterKey'), autocomplete: 'off',
    spellcheck: 'false', maxlength: '1000', required: true,
  });
  const form = el('form', {
    className: 'heading',
    onsubmit: event => {
      event.preventDefault();
      const of = limitsWithKeys().get(limit.value);
      if (of && key.value.trim() !== '') {
        location.hash = keyLink(of.prefix, of.name, key.value.trim());
      }
    },
  }, el('h1', {}, t('keysView')), limit, key, el('button', {type: 'submit', className: 'primary', id: 'open-key'}, t('openKey')));

  const rejected = sortedTable('limited', t('limitedNow'), [
    {id: 'key', word: 'key', order: 1, className: 'name', value: row => row.key,
      cell: row => el('a', {href: keyLink(row.prefix, row.limit.name, row.key)}, code(row.key))},
    {id: 'name', word: 'limit', order: 1, value: row => row.name, cell: limitCell},
    {id: 'plan', word: 'plan', order: 1, value: row => row.plan, cell: row => row.plan === '' ? '–' : named(row.plan)},
    {id: 'rejections', word: 'rejections', order: -1, className: 'number', value: row => row.rejections,
      cell: row => count(row.rejections)},
    {id: 'last', word: 'lastRejection', order: -1, className: 'number muted', value: row => row.last ?? 0,
      shape: row => lastText(row), cell: row => lastText(row)},
    {id: 'remedies', word: 'remedies', className: 'full', value: () => '', shape: row => [state.session.keys, row.limit.settings],
      cell: row => state.session.keys ? keyActions(row.limit, keyOf(row.key), changed) : '–'},
  ], limited);
  const note = el('p', {className: 'muted small after'});
  const nothing = el('p', {className: 'card empty', hidden: true}, t('noKeyLimited'));

  const bans = bansPart(changed);
  const search = keySearch({
    id: 'overrides-search', word: 'searchOverrides', value: chosen.search, name: () => null, show: update,
  });
  const live = sortedTable('overrides', t('overrides'), [
    {id: 'key', word: 'key', order: 1, className: 'name', value: row => row.live.key.value,
      cell: row => row.limit ? el('a', {href: keyLink(row.limit.prefix, row.limit.name, row.live.key.value)}, code(row.live.key.value))
        : code(row.live.key.value)},
    {id: 'name', word: 'limit', order: 1, value: row => row.live.name,
      shape: row => [row.live.name, row.limit === null],
      cell: row => row.limit ? limitCell({...row.limit, limit: row.limit, name: row.live.name}) : named(row.live.name)},
    {id: 'settings', word: 'what', order: 1, value: row => describe(row.live.settings), cell: row => describe(row.live.settings)},
    {id: 'ends', word: 'until', order: 1, value: row => row.live.expiresAt ?? Infinity, shape: row => row.live.expiresAt,
      cell: row => ending(row.live)},
    {id: 'who', word: 'by', order: 1, value: row => row.live.who, shape: row => [row.live.who, row.live.why],
      cell: row => [named(row.live.who), row.live.why ? el('div', {className: 'muted small'}, named(row.live.why)) : null]},
    {id: 'remedies', word: 'remedies', className: 'full', value: row => row.live.version,
      shape: row => [row.live.version, state.session.keys],
      cell: row => state.session.keys ? removeButton(row.live, changed, 'small') : '–'},
  ], overrides);
  const none = el('p', {className: 'card empty', hidden: true});
  const more = el('p', {className: 'muted small after', hidden: true, role: 'status'});
  const failed = el('p', {className: 'is-warning small', hidden: true});

  const element = el('div', {}, form,
    el('section', {className: 'part', 'aria-label': t('limitedNow')}, el('h2', {}, t('limitedNow')),
      rejected.element, nothing,
      note),
    bans.element,
    el('section', {className: 'part', 'aria-label': t('overrides')},
      el('div', {className: 'heading'}, el('h2', {}, t('overrides')), search.input), failed, live.element, none, more));

  const lastText = row => row.last === null ? '–' : ago(row.last, now());

  function changed() {
    search.read();
    reload();
  }

  function showLimits() {
    const texts = [...limitsWithKeys()].map(([id, each]) => [id, `${isolated(each.limiter)} (${isolated(each.prefix)})`])
      .sort((one, other) => one[1].localeCompare(other[1]));
    if (JSON.stringify(texts) !== shownLimits) {
      shownLimits = JSON.stringify(texts);
      limit.replaceChildren(...texts.map(([value, text]) => el('option', {value}, text)));
      limit.value = texts.some(([id]) => id === chosen.limit) ? chosen.limit : texts[0]?.[0] ?? '';
    }
  }

  function update() {
    search.update();
    showLimits();
    const rows = (state.fleet ? state.fleet.limits : []).flatMap(each => each.rejectedKeys.map(of => ({
      id: JSON.stringify([each.prefix, each.name, of.key]), prefix: each.prefix, limit: each, name: each.limiter,
      plan: planOf(each), ...of,
    })));
    rejected.show(rows);
    setText(note, state.session.showKeys ? t('limitedNote') : `${t('limitedNote')} ${t('hashedKeys')}`);
    nothing.hidden = rows.length > 0 || !state.fleet;
    bans.update();
    const ofName = new Map((state.fleet ? state.fleet.limits : []).map(each => [each.limiter, each]).reverse());
    const {found, problem} = search;
    live.show(found.keys.map(each => ({
      id: JSON.stringify([each.name, each.key]), live: each, limit: ofName.get(each.name) ?? null,
    })));
    none.hidden = found.keys.length > 0;
    setText(none, noneText(search.wanted()));
    more.hidden = found.all <= found.keys.length;
    setText(more, t('moreKeys', found.keys.length, found.all));
    failed.hidden = problem === null;
    setText(failed, problem === null ? '' : visible(problem));
  }

  return {
    element,
    update,
    close() {
      chosen.search = search.input.value;
      search.close();
    },
  };
}
