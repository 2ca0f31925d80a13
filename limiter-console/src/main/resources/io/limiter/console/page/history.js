/** Changes of live limits. */
import {el, isolated, named, setText, visible} from './dom.js';
import {ago, described, ending, moment} from './format.js';
import {hidesHashed, now, state} from './state.js';
import {t} from './words.js';

const STEP = 50;
/** Changes that a search or an export reads at most. */
const MOST = 10_000;
/** What spreadsheets run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** When the live limit ends, if that is new. */
function expiry({before, after}) {
  return !after || before && before.expiresAt === after.expiresAt ? null
    : before ? t('fromTo', ending(before), ending(after))
    : ending(after);
}

const mayRollBack = change => change.key ? state.session.keys : state.session.write;

/**
 * A list of changes.
 *
 * @param {boolean} withNames whether each has the name of its limit
 * @param {(change: object) => void} rollBack of those that the caller may roll back
 */
export function changeList(changes, withNames, rollBack) {
  return el('ul', {className: 'changes'}, changes.map(change => el('li', {},
    el('div', {className: 'what'},
      withNames ? [named(change.name), ': '] : null,
      change.key ? [el('span', {className: 'code'}, named(change.key.value)), ': '] : null,
      t('fromTo', described(change.before), described(change.after)),
      expiry(change) ? el('span', {className: 'expiry'}, ` · ${expiry(change)}`) : null),
    el('div', {className: 'by'},
      el('time', {datetime: new Date(change.at).toISOString(), title: ago(change.at, now())}, moment(change.at)),
      ' · ', named(change.who), ` · ${t('versionOf', change.version)}`,
      change.why ? el('div', {className: 'reason'}, named(change.why)) : null),
    rollBack && mayRollBack(change) ? el('button', {
      type: 'button',
      onclick: () => rollBack(change),
      'aria-label': `${t('rollBack')}: ${isolated(change.name)}, ${t('versionOf', change.version)}`,
    }, t('rollBack')) : null)));
}

const textOf = change =>
  [change.name, change.key?.value, change.who, change.why, described(change.before), described(change.after)].join('\n').toLowerCase();

function csv(changes) {
  const cell = value => {
    const text = String(value ?? '');
    return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  const time = millis => millis == null ? '' : new Date(millis).toISOString();
  return [
    ['version', 'at', 'name', 'key', 'who', 'why', 'before', 'after', 'expiresBefore', 'expiresAfter'],
    ...changes.map(each => [each.version, time(each.at), each.name, each.key?.value, each.who, each.why,
      each.before && JSON.stringify(each.before.settings), each.after && JSON.stringify(each.after.settings),
      time(each.before?.expiresAt), time(each.after?.expiresAt)]),
  ].map(row => row.map(cell).join(',')).join('\r\n');
}

function download(name, type, text) {
  const link = el('a', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {(enough: number) => Promise<void>} readOlder reads older changes, until there are enough */
export function historyView({rollBack, readOlder}) {
  let most = STEP;
  let shown;
  const search = el('input', {
    type: 'search', className: 'search', id: 'history-search', 'aria-label': t('searchHistory'),
    placeholder: t('searchHistory'), autocomplete: 'off', spellcheck: 'false',
    oninput: () => {
      most = STEP;
      update();
      readOlder(MOST);
    },
  });
  const save = (id, type, write) => el('button', {
    type: 'button', id,
    onclick: async () => {
      await readOlder(MOST);
      download(`limits-history.${id.slice('export-'.length)}`, type, write(found()));
    },
  }, t(id === 'export-csv' ? 'exportCsv' : 'exportJson'));
  const count = el('p', {className: 'muted small', id: 'history-count', role: 'status'});
  const unreadable = el('p', {className: 'is-warning small', hidden: true});
  const content = el('div');
  const note = el('p', {className: 'muted small after', hidden: true}, t('hashedLimits'));
  const older = el('button', {
    type: 'button', id: 'older',
    onclick: () => {
      most += STEP;
      update();
      readOlder(Math.min(most, MOST));
    },
  }, t('older'));
  const element = el('div', {},
    el('div', {className: 'heading'}, el('h1', {}, t('history')), search,
      save('export-csv', 'text/csv;charset=utf-8', csv),
      save('export-json', 'application/json', changes => JSON.stringify(changes, null, 2))),
    count, unreadable, content, el('div', {className: 'actions'}, older), note);

  function found() {
    const wanted = search.value.trim().toLowerCase();
    return (state.history || []).filter(change => wanted === '' || textOf(change).includes(wanted));
  }

  function update() {
    const matches = found();
    older.hidden = matches.length <= most && (state.historyNext === 0 || (state.history || []).length >= MOST);
    note.hidden = !hidesHashed();
    setText(count, state.history === null ? '' : t('historyCount', matches.length, state.history.length));
    const names = state.historyUnreadable.map(each => isolated(each.name));
    unreadable.hidden = names.length === 0;
    setText(unreadable, t(names.length === 1 ? 'unreadableOne' : 'unreadable', names.length, [...new Set(names)].slice(0, 5).join(', ')));
    const shape = JSON.stringify([matches.slice(0, most), state.historyProblem, state.history === null, state.historyNext === 0, state.session]);
    if (shape === shown) {
      return;
    }
    shown = shape;
    content.replaceChildren(
      state.historyProblem !== null
        ? el('div', {className: 'card empty'}, el('h2', {}, t('historyFailed')),
          el('p', {}, visible(state.historyProblem) || t('noAnswer')))
      : state.history === null ? el('div')
      : state.history.length === 0 && state.historyNext === 0
        ? el('div', {className: 'card empty'}, el('h2', {}, t('noHistory')), el('p', {}, t('noHistoryText')))
      : matches.length === 0 ? el('div', {className: 'card empty'}, el('h2', {}, t('noChangeFound')))
      : el('div', {className: 'card'}, changeList(matches.slice(0, most), true, rollBack)));
  }

  return {element, update};
}
