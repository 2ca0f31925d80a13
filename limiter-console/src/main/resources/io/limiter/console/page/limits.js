/** All limits of the fleet. */
import {el, isolated, setText, setWidth, visible} from './dom.js';
import {count, definitionOf, percent, rate, shareOf} from './format.js';
import {spark} from './spark.js';
import {badges, idOf, recent, seriesOf, state} from './state.js';
import {t} from './words.js';

/** Rows at a time: a fleet may have hundreds of limits. */
const PAGE = 25;

/** So that rows do not jump away below the pointer. */
const SORT_MILLIS = 5000;

const COLUMNS = [
  {id: 'name', word: 'limit', order: 1, value: limit => limit.name.toLowerCase()},
  {id: 'trend', word: 'trend'},
  {id: 'granted', word: 'granted', order: -1, number: true, value: limit => recent(limit, 'granted') ?? -1},
  {id: 'rejected', word: 'rejected', order: -1, number: true, value: limit => recent(limit, 'rejected') ?? -1},
  {id: 'share', word: 'rejectedShare', order: -1, number: true, value: limit => recentShare(limit) ?? -1},
  {id: 'hottest', word: 'hottest', optional: true},
];

/** Seconds that the small lines go back. */
const TREND = 120;

const chosen = {column: 'rejected', order: -1, filter: '', group: '', page: 0};

const recentShare = limit => shareOf(recent(limit, 'granted') ?? 0, recent(limit, 'rejected') ?? 0);

export function limitsView() {
  const rows = new Map();
  let sortedAt = 0;
  let order = [];
  let measured = false;
  let shownGroups = '';

  const filter = el('input', {
    type: 'search', className: 'search', id: 'filter', 'aria-label': t('filter'), placeholder: t('filter'),
    value: chosen.filter, autocomplete: 'off', spellcheck: 'false',
    oninput: () => {
      chosen.filter = filter.value;
      chosen.page = 0;
      update();
    },
  });
  const group = el('select', {
    id: 'group', className: 'group', 'aria-label': t('group'), hidden: true,
    onchange: () => {
      chosen.group = group.value;
      chosen.page = 0;
      update();
    },
  });
  const range = el('span', {className: 'muted small', id: 'range', role: 'status'});
  const turn = (word, by) => el('button', {
    type: 'button', id: word,
    onclick: () => {
      chosen.page += by;
      update();
      // What follows is read from its beginning.
      table.scrollIntoView({block: 'nearest'});
    },
  }, t(word));
  const previous = turn('previous', -1);
  const next = turn('next', 1);
  const pager = el('nav', {className: 'pager', 'aria-label': t('pages'), hidden: true}, previous, range, next);
  const heads = COLUMNS.map(column => el('th', {
    scope: 'col', role: 'columnheader',
    className: [column.number ? 'number' : '', column.optional ? 'optional' : ''].join(' ').trim() || null,
  }, column.value
    ? el('button', {type: 'button', onclick: () => sortBy(column)}, t(column.word))
    : t(column.word)));
  const body = el('tbody', {role: 'rowgroup'});
  const table = el('div', {className: 'table'}, el('table', {role: 'table', 'aria-label': t('limits')},
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, heads)), body));
  const empty = el('div', {className: 'card empty', hidden: true}, el('h2'), el('p'));
  const element = el('div', {}, el('div', {className: 'heading'}, el('h1', {}, t('limits')), group, filter), table, pager, empty);

  function sortBy(column) {
    chosen.order = chosen.column === column.id ? -chosen.order : column.order;
    chosen.column = column.id;
    chosen.page = 0;
    sortedAt = 0;
    update();
  }

  function sorted(limits) {
    const column = COLUMNS.find(each => each.id === chosen.column);
    const values = new Map(limits.map(limit => [limit, column.value(limit)]));
    return [...limits].sort((one, other) => {
      const [a, b] = [values.get(one), values.get(other)];
      return (a < b ? -1 : a > b ? 1 : 0) * chosen.order
        || (recent(other, 'granted') ?? -1) - (recent(one, 'granted') ?? -1)
        || one.name.localeCompare(other.name)
        || one.prefix.localeCompare(other.prefix);
    }).map(idOf);
  }

  function update() {
    const limits = state.fleet ? state.fleet.limits : [];
    const wanted = chosen.filter.trim().toLowerCase();
    showGroups(limits);
    const shown = limits.filter(limit => (chosen.group === '' || limit.prefix === chosen.group)
      && (limit.prefix + limit.name).toLowerCase().includes(wanted));
    COLUMNS.forEach((column, index) => {
      if (column.id === chosen.column) {
        heads[index].setAttribute('aria-sort', chosen.order > 0 ? 'ascending' : 'descending');
      } else {
        heads[index].removeAttribute('aria-sort');
      }
    });
    const known = new Set(order);
    const busy = table.matches(':hover') || table.contains(document.activeElement);
    const added = limits.some(limit => !known.has(idOf(limit)));
    if (!measured && limits.some(limit => limit.granted !== null)) {
      measured = true;
      sortedAt = 0;
    }
    if (added || sortedAt === 0 || !busy && Date.now() - sortedAt > SORT_MILLIS) {
      order = sorted(limits);
      sortedAt = Date.now();
    }
    const matching = new Set(shown.map(idOf));
    const matches = order.filter(id => matching.has(id));
    showPager(matches.length);
    const onPage = new Set(matches.slice(chosen.page * PAGE, (chosen.page + 1) * PAGE));
    const byId = new Map(shown.filter(limit => onPage.has(idOf(limit))).map(limit => [idOf(limit), limit]));
    for (const [id, row] of rows) {
      if (!byId.has(id)) {
        row.element.remove();
        rows.delete(id);
      }
    }
    let before = null;
    for (const id of order.filter(each => byId.has(each))) {
      if (!rows.has(id)) {
        rows.set(id, limitRow());
      }
      const row = rows.get(id);
      row.update(byId.get(id));
      const next = before ? before.nextSibling : body.firstChild;
      if (next !== row.element) {
        body.insertBefore(row.element, next);
      }
      before = row.element;
    }
    showEmpty(limits.length, shown.length, wanted);
  }

  /** One for each prefix: annotations, rules and code have their own. */
  function showGroups(limits) {
    const counts = new Map();
    limits.forEach(limit => counts.set(limit.prefix, (counts.get(limit.prefix) || 0) + 1));
    chosen.group = counts.has(chosen.group) ? chosen.group : '';
    const texts = [['', t('allGroups', limits.length)],
      ...[...counts].sort().map(([prefix, size]) => [prefix, t('groupOf', isolated(prefix), size)])];
    group.hidden = counts.size < 2;
    if (JSON.stringify(texts) !== shownGroups) {
      shownGroups = JSON.stringify(texts);
      group.replaceChildren(...texts.map(([value, text]) => el('option', {value}, text)));
    }
    group.value = chosen.group;
  }

  function showPager(all) {
    chosen.page = Math.max(0, Math.min(chosen.page, Math.ceil(all / PAGE) - 1));
    pager.hidden = all <= PAGE;
    previous.disabled = chosen.page === 0;
    next.disabled = (chosen.page + 1) * PAGE >= all;
    setText(range, t('range', chosen.page * PAGE + 1, Math.min((chosen.page + 1) * PAGE, all), all));
  }

  function showEmpty(all, shown, wanted) {
    table.hidden = shown === 0;
    empty.hidden = shown > 0;
    const [title, text] = all > 0 ? [t('noMatch', isolated(wanted)), '']
      : state.fleet && state.fleet.instances.length > 0 ? [t('noLimits'), t('noLimitsText')]
      : [t('waiting'), t('waitingText')];
    setText(empty.firstChild, title);
    setText(empty.lastChild, text);
  }

  return {element, update};
}

function limitRow() {
  const text = el('bdi');
  const link = el('a', {className: 'cut'}, text);
  const marks = el('span', {className: 'badges'});
  const definition = el('span', {className: 'definition clamp'});
  const line = spark();
  const granted = el('td', {role: 'cell', className: 'number is-granted', 'data-head': t('granted')});
  const rejected = el('td', {role: 'cell', className: 'number', 'data-head': t('rejected')});
  const shareText = el('span');
  const shareBar = el('b');
  const share = el('td', {role: 'cell', className: 'number', 'data-head': t('rejectedShare')},
    el('span', {className: 'share'}, el('i', {'aria-hidden': 'true'}, shareBar), shareText));
  const key = el('bdi', {className: 'code cut'});
  const requests = el('span', {className: 'definition'});
  const hottest = el('td', {role: 'cell', className: 'optional hottest', title: t('hottestNote')}, key, requests);
  const element = el('tr', {role: 'row'},
    el('td', {role: 'cell', className: 'name'}, link, ' ', marks, definition),
    el('td', {role: 'cell', className: 'trend'}, line.element), granted, rejected, share, hottest);
  let shownMarks = '';

  return {
    element,
    update(limit) {
      setText(text, visible(limit.name));
      link.title = visible(limit.prefix + limit.name);
      link.setAttribute('href', `#/limit/${encodeURIComponent(limit.prefix)}/${encodeURIComponent(limit.name)}`);
      const next = badges(limit);
      if (JSON.stringify(next.map(badge => badge.textContent)) !== shownMarks) {
        shownMarks = JSON.stringify(next.map(badge => badge.textContent));
        marks.replaceChildren(...next);
      }
      setText(definition, [limit.kind, definitionOf(limit)].filter(text => text).join(' · '));
      const series = seriesOf(limit);
      line.draw({granted: series.granted.slice(-TREND), rejected: series.rejected.slice(-TREND)}, TREND,
        t('sparkLabel', rate(recent(limit, 'granted')), rate(recent(limit, 'rejected'))));
      setText(granted, rate(recent(limit, 'granted')));
      setText(rejected, rate(recent(limit, 'rejected')));
      rejected.classList.toggle('is-rejected', recent(limit, 'rejected') > 0);
      const rejectedShare = recentShare(limit);
      setText(shareText, percent(rejectedShare));
      setWidth(shareBar, rejectedShare ?? 0);
      const hot = limit.hottest[0];
      setText(key, hot ? visible(hot.key) : '–');
      setText(requests, hot ? t('requestsOf', count(hot.requests)) : '');
    },
  };
}
