/** One key of a limit. */
import * as api from './api.js';
import {askRemove, askReset, askRollBack} from './change.js';
import {el, isolated, named, setText, visible} from './dom.js';
import {ago, count, describe, ending, moment, number, sourceText, span} from './format.js';
import {changeList} from './history.js';
import {keyActions, keyOf, planOf} from './keys.js';
import {hidesHashed, now, state} from './state.js';
import {t} from './words.js';

/** Each look calls Redis. */
const READ_MILLIS = 2000;

const code = text => el('span', {className: 'code'}, named(text));
const fact = (word, ...content) => [el('dt', {}, t(word)), el('dd', {}, ...content)];

/** "in 3 s", of a time from now in seconds. */
const inTime = seconds => seconds === null ? t('never') : seconds === 0 ? t('now') : t('inTime', span(Math.max(0.001, seconds)));

export function keyView(prefix, name, value, {reload}) {
  let known = null;
  let problem = null;
  let readAt = 0;
  let reading = false;
  const shown = {};
  const find = () => state.fleet?.limits.find(each => each.prefix === prefix && each.name === name) ?? null;
  const limiter = () => known?.name ?? find()?.limiter ?? name;
  const key = () => keyOf(value);

  const marks = el('p', {className: 'muted'});
  const failed = el('p', {className: 'is-warning small', role: 'status', hidden: true});
  // More rows come here: each is a fact in showFacts.
  const facts = el('div');
  // Not built again with the facts, so that a button keeps the focus.
  const remedies = el('div', {className: 'actions', id: 'remedies'});
  const rejections = el('section', {className: 'card', id: 'rejections', 'aria-label': t('lastRejections')});
  const recent = el('section', {className: 'card', id: 'key-changes', 'aria-label': t('keyChanges')});
  const element = el('div', {},
    el('a', {className: 'back', href: '#/keys'}, `← ${t('keysView')}`),
    el('div', {className: 'title'}, el('h1', {}, code(value)), marks, failed),
    el('div', {className: 'columns'}, el('div', {className: 'stack'},
      el('section', {className: 'card', id: 'facts', 'aria-label': t('keyNow')}, el('h2', {}, t('keyNow')), facts, remedies),
      recent), rejections));

  function part(id, shape, build) {
    const text = JSON.stringify(shape);
    if (shown[id] !== text) {
      shown[id] = text;
      build();
    }
  }

  async function read() {
    if (reading) {
      return;
    }
    reading = true;
    readAt = Date.now();
    try {
      known = await api.key(prefix, name, key());
      problem = null;
    } catch (error) {
      problem = error.message || t('noAnswer');
    }
    reading = false;
    show();
  }

  function changed() {
    // Once more if a look is on its way.
    readAt = 0;
    read();
    reload();
  }

  function show() {
    failed.hidden = problem === null;
    setText(failed, problem === null ? '' : visible(problem));
    part('marks', [limiter(), key()], () => marks.replaceChildren(
      el('a', {href: `#/limit/${encodeURIComponent(prefix)}/${encodeURIComponent(name)}`}, named(prefix + limiter())),
      key().hashed ? ` · ${t('isHash')}` : ''));
    if (known === null) {
      return;
    }
    part('facts', [known], showFacts);
    part('remedies', [known.live, known.permits === null, find()?.settings, state.session, find() === null], showRemedies);
    part('rejections', [known.rejections, known.last.map(each => [each, ago(each.at, now())]), state.session], showRejections);
    const changes = (state.history || []).filter(change => change.name === known.name && change.key
      && [value, known.live?.key.value].includes(change.key.value));
    part('recent', [changes, state.session], () => recent.replaceChildren(el('h2', {}, t('keyChanges')),
      changes.length === 0 ? el('p', {className: 'muted small'}, state.history?.length ? t('noKeyChanges', state.history.length) : t('noHistory'))
        : changeList(changes, false, change => askRollBack(change, changed)),
      hidesHashed() ? el('p', {className: 'muted small after'}, t('hashedLimits')) : ''));
  }

  /** Whether the limit itself bans the key, and not a live limit. */
  const isBanned = () => known.live === null && (known.permits === null ? known.bannedUntil !== null
    : !known.permits.granted && known.permits.source === 'override');

  const hasPlans = () => state.fleet?.limits.some(each => each.limiter === limiter() && planOf(each) !== '');

  /** What is left of the permits may take longer to come back than the ban lasts. */
  function banText() {
    return known.bannedUntil === null ? t('bannedByRejections') : t('bannedUntil', moment(known.bannedUntil));
  }

  function showFacts() {
    const {permits, live} = known;
    const ends = live?.expiresAt == null ? '' : ` (${t('ends', span(Math.max(0, Math.round((live.expiresAt - now()) / 1000))))})`;
    facts.replaceChildren(
      el('dl', {className: 'facts'}, [
        fact('plan', known.plan !== null ? named(known.plan) : t(hasPlans() ? 'noPlan' : 'none')),
        fact('left', permits === null ? visible(known.problem)
          : t('leftOf', number(permits.remaining), number(permits.limit))),
        ...permits === null ? [] : [
          fact('nextPermit', permits.granted ? t('now') : inTime(permits.retryAfter)),
          fact('fullAgain', inTime(permits.fullAfter)),
          ...permits.periodEnd === null ? [] : [fact('periodEnds', moment(permits.periodEnd))],
          fact('sources', sourceText(permits.source)),
        ],
        ...isBanned() ? [fact('banKey', banText())] : [],
        fact('liveLimit', live !== null ? describe(live.settings) : t(key().hashed && hidesHashed() ? 'hashedLimits' : 'none')),
        ...live === null ? [] : [
          fact('until', ending(live), ends),
          fact('by', named(live.who)),
          live.why ? fact('why', named(live.why)) : [],
          fact('since', moment(live.since)),
        ],
      ].flat()),
      value.includes('#') ? el('p', {className: 'muted small after'}, t('nestedKeys')) : '');
  }

  function showRemedies() {
    const limit = find();
    if (!state.session.keys) {
      remedies.replaceChildren(el('p', {className: 'muted small'}, t('readOnlyKeys')));
      return;
    }
    const button = (id, word, action) => el('button', {type: 'button', className: 'small', id, onclick: action}, t(word));
    remedies.replaceChildren(
      ...limit ? [...keyActions(limit, key(), changed).children] : [],
      ...known.live ? [button('undo', 'undo', () => askRemove(known.live, changed))] : [],
      ...known.permits ? [button('reset', 'resetKey', () => askReset(
        {prefix, name: known.plan === null ? known.name : `${known.name}.${known.plan}`, key: key()}, changed))] : []);
  }

  function showRejections() {
    const hidden = hidesHashed() && !key().hashed;
    rejections.replaceChildren(el('h2', {}, t('lastRejections')),
      ...hidden ? [el('p', {className: 'muted small'}, t('hashedRejections'))]
        : known.last.length === 0 ? [el('p', {className: 'muted small'}, t('noRejections'))]
        : [el('p', {}, t('rejectionsOf', count(known.rejections))),
          el('ul', {className: 'changes'}, known.last.map(each => el('li', {},
            el('span', {}, el('time', {datetime: new Date(each.at).toISOString()}, moment(each.at)), ' ',
              el('span', {className: 'muted'}, `(${ago(each.at, now())})`)),
            el('span', {className: 'muted small'}, named(each.instance)))))],
      el('p', {className: 'muted small after'}, t('rejectionsNote')));
  }

  return {
    element,
    update() {
      if (Date.now() - readAt > READ_MILLIS) {
        read();
      }
      show();
    },
  };
}
