/** The bans that rejections have brought keys. */
import {resetBanned} from './change.js';
import {el, isolated, named, setText} from './dom.js';
import {moment, span} from './format.js';
import {keyLink, keyOf} from './keys.js';
import {hidesHashed, now, state} from './state.js';
import {sortedTable} from './table.js';
import {t} from './words.js';

/** The end of a ban as different instances and reports have it. */
const SAME_MILLIS = 2000;

const chosen = {column: 'ends', order: -1, page: 0};
/** Ends of bans that this page has undone, by ban: instances that do not see the key again still report it. */
const undone = new Map();

const idOf = ban => JSON.stringify([ban.prefix, ban.limiter, ban.key]);

/** The limit of a ban; that of a plan if there is no other. */
function limitOf(ban) {
  const all = state.fleet.limits.filter(each => each.prefix === ban.prefix && each.limiter === ban.limiter);
  return all.find(each => each.name === ban.limiter) ?? all[0] ?? null;
}

/** The bans in effect. */
function bans() {
  return (state.fleet ? state.fleet.bans : [])
    .filter(each => each.ends > now() && !(Math.abs(undone.get(idOf(each)) - each.ends) < SAME_MILLIS));
}

/** "14:05:00, in 4 min" */
const endText = ban => t('endsAt', moment(ban.ends), span(Math.max(1, Math.round((ban.ends - now()) / 1000))));

/**
 * The part of a view that lists them.
 *
 * @param {() => void} done after a reset
 */
export function bansPart(done) {
  const code = text => el('span', {className: 'code'}, named(text));
  const table = sortedTable('bans', t('bansNow'), [
    {id: 'key', word: 'key', order: 1, className: 'name', value: row => row.key, shape: row => [row.key, row.limit === null],
      cell: row => row.limit ? el('a', {href: keyLink(row.prefix, row.limit.name, row.key)}, code(row.key)) : code(row.key)},
    {id: 'name', word: 'limit', order: 1, value: row => row.limiter, cell: row => named(row.limiter)},
    {id: 'ends', word: 'ending', order: -1, value: row => row.ends, shape: endText, cell: endText},
    {id: 'remedies', word: 'remedies', className: 'full', value: () => '', shape: row => [state.session.keys, row.ends],
      cell: row => state.session.keys ? el('button', {
        type: 'button', className: 'small', 'aria-label': `${t('resetKey')}: ${isolated(row.key)}`, onclick: () => reset(row),
      }, t('resetKey')) : '–'},
  ], chosen);
  const none = el('p', {className: 'card empty', hidden: true});
  const note = el('p', {className: 'muted small after'}, t('bansNote'));

  function reset(ban) {
    resetBanned({
      prefix: ban.prefix, name: ban.limiter, key: keyOf(ban.key), ban: true,
    }, () => undone.set(idOf(ban), ban.ends), done);
  }

  return {
    element: el('section', {className: 'part', 'aria-label': t('bansNow')},
      el('h2', {}, t('bansNow')), table.element, none, note),
    update() {
      const rows = bans().map(each => ({id: idOf(each), limit: limitOf(each), ...each}));
      table.show(rows);
      setText(none, t(hidesHashed() ? 'hashedBans' : 'noKeyBanned'));
      none.hidden = rows.length > 0 || !state.fleet;
      note.hidden = rows.length === 0;
    },
  };
}
