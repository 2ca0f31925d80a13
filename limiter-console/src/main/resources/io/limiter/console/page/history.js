/** Changes of live limits. */
import {el} from './dom.js';
import {ago, described, moment} from './format.js';
import {now, state} from './state.js';
import {t} from './words.js';

/**
 * A list of changes.
 *
 * @param {boolean} named whether each has the name of its limit
 * @param {(change: object) => void} rollBack null if the caller may not
 */
export function changeList(changes, named, rollBack) {
  return el('ul', {className: 'changes'}, changes.map(change => el('li', {},
    el('div', {className: 'what'},
      named ? [el('span', {}, change.name), ': '] : null,
      t('fromTo', described(change.before), described(change.after))),
    el('div', {className: 'by'},
      el('time', {datetime: new Date(change.at).toISOString(), title: ago(change.at, now())}, moment(change.at)),
      ` · ${change.who} · ${t('versionOf', change.version)}`,
      change.why ? el('div', {className: 'reason'}, change.why) : null),
    rollBack ? el('button', {
      type: 'button',
      onclick: () => rollBack(change),
      'aria-label': `${t('rollBack')}: ${change.name}, ${t('versionOf', change.version)}`,
    }, t('rollBack')) : null)));
}

export function historyView({rollBack}) {
  const content = el('div');
  const element = el('div', {}, el('div', {className: 'heading'}, el('h1', {}, t('history'))), content);
  let shown;

  function update() {
    const shape = JSON.stringify([state.history, state.historyProblem, state.session.write]);
    if (shape === shown) {
      return;
    }
    shown = shape;
    content.replaceChildren(
      state.historyProblem !== null
        ? el('div', {className: 'card empty'}, el('h2', {}, t('historyFailed')), el('p', {}, state.historyProblem || t('noAnswer')))
      : state.history === null ? el('div')
      : state.history.length === 0
        ? el('div', {className: 'card empty'}, el('h2', {}, t('noHistory')), el('p', {}, t('noHistoryText')))
      : el('div', {className: 'card'}, changeList(state.history, true, state.session.write ? rollBack : null)));
  }

  return {element, update};
}
