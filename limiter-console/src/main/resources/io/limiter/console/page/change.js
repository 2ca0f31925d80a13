/** Shows what a change will do, and makes it. */
import * as api from './api.js';
import {ask, toast} from './dialog.js';
import {el, isolated, named} from './dom.js';
import {ago, definitionOf, describe, described, number} from './format.js';
import {durationChoice, durationText, fieldName, fieldText, numberFields} from './form.js';
import {liveOf, now, state, versionOf} from './state.js';
import {t} from './words.js';

const FIELDS = ['rate', 'capacity', 'burst', 'limit', 'period', 'timeout', 'onFailure'];

/** What differs between two settings: names, and values before and after; undefined for the application's own. */
function differences(limit, live, settings) {
  return FIELDS.filter(name => settings[name] !== undefined || live && live.settings[name] != null)
    .map(name => ({name, before: limit.settings[name] ?? undefined, after: settings[name]}))
    .filter(each => each.before !== each.after);
}

function value(name, of) {
  return of === undefined || of === null ? t('own') : fieldText(name, of);
}

/** "50/s", of the settings that the change is about. */
function headline(limit, changes, side) {
  const subset = {kind: limit.kind};
  for (const change of changes) {
    subset[change.name] = change[side];
  }
  // A window is a number in a period.
  if (('limit' in subset || 'period' in subset) && limit.settings.period != null) {
    subset.limit ??= limit.settings.limit;
    subset.period ??= limit.settings.period;
  }
  return describe(subset) || t('own');
}

/** A number that is changed by more than this factor, either way, is more likely a mistake. */
const JUMP = 10;

/** What changes by so much, as text: a field that has a number before and after, and what a window grants per second. */
function warningOf(limit, changes) {
  const numbers = changes.map(each => [fieldName(each.name, limit.kind), each.before, each.after]);
  const {limit: most, period} = limit.settings;
  if (most && period) {
    const after = name => changes.find(each => each.name === name)?.after ?? limit.settings[name];
    numbers.push([t('requests'), most / period, after('limit') / after('period')]);
  }
  return numbers.filter(([, before, after]) => before > 0 && after > 0)
    .map(([name, before, after]) => ({name, before, after, factor: Math.max(before / after, after / before)}))
    // Not by rounding.
    .filter(each => each.factor > JUMP * (1 + 1e-9))
    .map(each => t(each.after > each.before ? 'jumpUp' : 'jumpDown', each.name, number(each.before), number(each.after),
      number(Math.round(each.factor))))
    .join(' ') || null;
}

const mode = enforce => t(enforce === null ? 'modeOwn' : enforce ? 'enforcedOf' : 'shadowOf');

/** What a choice means, with the mode if the choice changes it. The mode of the application is not reported. */
function withMode(live, enforce, text) {
  const before = live?.settings.enforce ?? null;
  return before === enforce ? text : t('modeFromTo', mode(before), mode(enforce), text);
}

const by = () => t('byYou', isolated(state.session.user));

/**
 * @param {() => void} done after the change
 * @param {object|null} live the live limit that the caller has seen
 */
export function previewChange(limit, live, change, done) {
  const changes = differences(limit, live, change.settings);
  const instances = state.fleet.instances.length;
  const duration = change.expiresSeconds === null ? t('untilRemoved') : t('forTime', durationText(change.expiresSeconds));
  const scales = limit.kind === 'token-bucket' && change.settings.rate !== undefined
    && change.settings.capacity === undefined && change.settings.burst === undefined;
  // Always with a mode: a live limit without one leaves it to the application, which may have set shadow mode.
  const apply = enforce => store(limit, live, {...change, settings: {...change.settings, enforce}}, done);
  ask(t('previewTitle'), [
    el('div', {className: 'change', id: 'change'},
      named(limit.name), ': ',
      changes.length === 0 ? definitionOf(limit) :
        t('fromTo', headline(limit, changes, 'before'), headline(limit, changes, 'after')),
      el('small', {}, [by(), duration, isolated(change.why)].filter(text => text).join(', '))),
    el('ul', {className: 'muted small'},
      changes.length > 1 ? changes.map(each => el('li', {},
        `${fieldName(each.name, limit.kind)}: ${t('fromTo', value(each.name, each.before), value(each.name, each.after))}`)) : null,
      el('li', {}, instances === 1 ? t('onInstance') : t('onInstances', instances)),
      scales ? el('li', {}, t('burstScales')) : null,
      el('li', {}, t('codeNote'))),
  ], [
    {id: 'try-shadow', text: t('tryShadow'), more: withMode(live, false, t('tryShadowText')), run: () => apply(false)},
    {
      id: 'enforce', text: t('enforceNow'), more: withMode(live, true, t('enforceText')), primary: true,
      run: () => apply(true),
    },
  ], warningOf(limit, changes));
}

async function store(limit, live, change, done) {
  await attempt(async () => {
    const stored = await api.put({
      name: limit.name, ...change, expectedVersion: versionOf(limit.name, live),
    });
    toast(t('applied', isolated(limit.name), stored.version), {action: {
      text: t('undo'),
      run: () => undo(stored, done),
    }});
  }, done);
}

function undo(stored, done) {
  return attempt(async () => {
    await api.rollBack({version: stored.version, expectedVersion: stored.version, why: ''});
    toast(t('rolledBack', whose(stored)));
  }, done);
}

/** The name of a limit, with the key if it is for one. */
const whose = of => of.key ? t('keyOf', isolated(of.key.value), isolated(of.name)) : isolated(of.name);

export function askRemove(live, done) {
  ask(t('removeTitle'), [
    el('div', {className: 'change', id: 'change'}, whose(live), ': ', t('fromTo', described(live), t('own'))),
    el('p', {className: 'muted small'}, t('removeText')),
  ], [{
    id: 'confirm', text: t('removeLive'), primary: true,
    run: () => attempt(async () => {
      await api.remove({name: live.name, key: live.key, why: '', expectedVersion: live.version});
      toast(t('removed', whose(live)));
    }, done),
  }]);
}

/**
 * Limits, exempts or bans one key, which is that of the limit whatever its plan.
 *
 * @param {'limit'|'EXEMPT'|'BANNED'} action
 */
export function askKey(limit, key, action, done) {
  const fields = action === 'limit' ? numberFields(limit, null, 'key-') : null;
  const duration = durationChoice('key-');
  const why = el('input', {id: 'key-why', maxlength: '500', placeholder: t('reasonHint'), autocomplete: 'off'});
  const error = el('p', {className: 'error', role: 'alert', hidden: true});
  const title = {limit: 'limitKeyTitle', EXEMPT: 'exemptKeyTitle', BANNED: 'banKeyTitle'}[action];
  ask(t(title), [
    el('div', {className: 'change', id: 'change'}, whose({name: limit.limiter, key})),
    action === 'limit' ? null : el('p', {className: 'muted small'}, t(action === 'BANNED' ? 'banKeyText' : 'exemptKeyText')),
    el('div', {className: 'fields'}, fields ? fields.elements : null, duration.element,
      el('div', {className: 'field wide'}, el('label', {for: 'key-why'}, t('reason')), why)),
    error,
  ], [{
    id: 'confirm', text: t({limit: 'limitKey', EXEMPT: 'exemptKey', BANNED: 'banKey'}[action]), primary: true,
    check: () => {
      const problem = fields?.problem() ?? null;
      error.hidden = problem === null;
      error.textContent = problem ?? '';
      return problem === null;
    },
    run: () => attempt(async () => {
      const known = await keyLimit({name: limit.limiter, key});
      const stored = await api.put({
        name: limit.limiter, key,
        settings: fields ? {kind: limit.kind, ...fields.settings()} : {access: action},
        why: why.value.trim(), expiresSeconds: duration.seconds(), expectedVersion: known?.version ?? 0,
      });
      toast(t('applied', whose(stored), stored.version), {action: {text: t('undo'), run: () => undo(stored, done)}});
    }, done),
  }]);
}

/** Deletes the state of a key. */
export function askReset(of, done) {
  ask(t('resetKeyTitle'), [
    el('div', {className: 'change', id: 'change'}, whose(of)),
    el('p', {className: 'muted small'}, t('resetKeyText')),
  ], [{
    id: 'confirm', text: t('resetKey'), primary: true,
    run: () => attempt(async () => {
      await api.reset(of);
      toast(t('resetDone', whose(of)));
    }, done),
  }]);
}

/**
 * Ends the ban of a key immediately. It deletes the ban that rejections have caused, and further rejections can cause another.
 *
 * @param {() => void} reset after success
 */
export function resetBanned(of, reset, done) {
  return attempt(async () => {
    await api.reset(of);
    reset();
    toast(t('resetDone', whose(of)));
  }, done);
}

export async function askRollBack(change, done) {
  const current = change.key ? await keyLimit(change) : liveOf(change.name);
  const limit = change.key ? null : state.fleet?.limits.find(each => each.name === change.name);
  // What the application defines is not reported while a live limit is in effect.
  const warning = limit && change.before ? warningOf(limit, differences(limit, current, change.before.settings)) : null;
  ask(t('rollBackTitle'), [
    el('div', {className: 'change', id: 'change'}, whose(change), ': ', t('fromTo', described(current), described(change.before))),
    el('p', {className: 'muted small'},
      change.before ? t('rollBackPut', described(change.before)) : t('rollBackRemove')),
  ], [{
    id: 'confirm', text: t('rollBack'), primary: true,
    run: () => attempt(async () => {
      await api.rollBack({
        version: change.version, why: '',
        expectedVersion: change.key ? current?.version ?? 0 : versionOf(change.name, current),
      });
      toast(t('rolledBack', whose(change)));
    }, done),
  }], warning);
}

/** The live limit of the key of a change; null without. */
async function keyLimit({name, key}) {
  try {
    return (await api.keys(name, key.value)).keys
      .find(each => each.key.value === key.value && each.key.hashed === key.hashed) ?? null;
  } catch {
    // Then the server says whether the version is the right one.
    return null;
  }
}

async function attempt(action, done) {
  try {
    await action();
  } catch (error) {
    if (error.status === 409) {
      conflict(error.current);
    } else {
      const reason = error.message || (error.status === 403 || error.status === 401 ? t('noRights')
        : error.status ? `HTTP ${error.status}` : t('noAnswer'));
      toast(t('failed', isolated(reason)), {failed: true});
    }
  }
  done();
}

function conflict(current) {
  ask(t('conflictTitle'), [
    el('div', {className: 'change', id: 'conflict'}, current
      ? t('conflictNow', described(current), isolated(current.who), ago(current.since, now()))
      : t('conflictNone')),
    el('p', {className: 'muted small'}, t('conflictAgain')),
  ], []);
}
