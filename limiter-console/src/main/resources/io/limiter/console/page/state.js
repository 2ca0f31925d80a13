/** What the page knows, shared by its views. */
import {el} from './dom.js';
import {t} from './words.js';

/** Seconds that lines go back: ten minutes. */
export const POINTS = 600;

export const state = {
  session: {user: null, write: false, keys: false, unsecured: false, showKeys: false},
  /** The last message of the server; null before. */
  fleet: null,
  /** Milliseconds that the server's clock is ahead. */
  clock: 0,
  series: new Map(),
  /** Newest first, as far back as was read; null before. */
  history: null,
  /** The version that older changes are below; 0 without any. */
  historyNext: 0,
  /** The same of the newest page alone. */
  historyNewest: 0,
  historyUnreadable: [],
  historyProblem: null,
};

/** Whether the server leaves out bans, live limits and changes, because their keys are hashed and the user may not change keys. */
export const hidesHashed = () => !state.session.showKeys && !state.session.keys;

const NONE = {granted: [], rejected: []};

export const idOf = limit => JSON.stringify([limit.prefix, limit.name]);

export const seriesOf = limit => state.series.get(idOf(limit)) || NONE;

/** Seconds that a rate in a table is the mean of: the value of a single second would jump, and be 0 for most limits. */
const RECENT = 10;

/** Granted or rejected requests per second over the last seconds; null before the first. */
export function recent(limit, outcome) {
  const values = seriesOf(limit)[outcome].slice(-RECENT);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** By the server's clock. */
export const now = () => Date.now() + state.clock;

export function accept(fleet) {
  // The newest report is up to a second old, so the largest difference is the best.
  const ahead = fleet.at - Date.now();
  state.clock = state.fleet && Math.abs(ahead - state.clock) < 5000 ? Math.max(ahead, state.clock) : ahead;
  state.fleet = fleet;
  if (fleet.series) {
    state.series = new Map(fleet.series.map(each => [idOf(each), each]));
  }
  const known = new Set();
  for (const limit of fleet.limits) {
    const id = idOf(limit);
    known.add(id);
    if (!state.series.has(id)) {
      state.series.set(id, {granted: [], rejected: []});
    }
    if (!fleet.series && limit.granted !== null) {
      add(state.series.get(id).granted, limit.granted);
      add(state.series.get(id).rejected, limit.rejected);
    }
  }
  for (const id of state.series.keys()) {
    if (!known.has(id)) {
      state.series.delete(id);
    }
  }
}

function add(values, value) {
  values.push(value);
  if (values.length > POINTS) {
    values.shift();
  }
}

/** A page of the history, the newest or the one after what is known. */
export function acceptHistory({changes, next, unreadable}, isNewest) {
  const known = state.history || [];
  if (isNewest) {
    // Versions go on from where they were, unless Redis has lost them. A gap to what is known is read again. If the user may see
    // no change of the page, it has no gap if it ends where the last one did.
    const joins = changes.length === 0 ? next === state.historyNewest
      : known.length > 0 && known[0].version <= changes[0].version && known[0].version >= next;
    const older = joins ? known.filter(change => change.version < next) : [];
    state.historyNewest = next;
    state.history = [...changes, ...older];
    state.historyNext = joins ? Math.min(state.historyNext, next) : next;
    state.historyUnreadable = joins
      ? [...unreadable, ...state.historyUnreadable.filter(each => each.version < next)] : unreadable;
  } else {
    state.history = [...known, ...changes];
    state.historyNext = next;
    state.historyUnreadable = [...state.historyUnreadable, ...unreadable];
  }
}

export function liveOf(name) {
  return state.fleet ? state.fleet.live.find(live => live.name === name) || null : null;
}

/** Of what a change replaces: the live limit that the caller has seen, one that cannot be read, or none. */
export const versionOf = (name, live) =>
  (live ?? state.fleet?.unreadable.find(each => each.name === name))?.version ?? 0;

export function badges(limit) {
  const found = [];
  const live = liveOf(limit.name);
  if (live) {
    found.push(el('span', {className: 'badge'}, t('changed')));
  }
  // Reports do not have the mode that the application sets.
  if (live && live.settings.enforce === false) {
    found.push(el('span', {className: 'badge shadow'}, t('shadow')));
  }
  if (limit.notApplied.length > 0) {
    found.push(el('span', {className: 'badge warn'}, t('notApplied')));
  } else if (limit.differs) {
    found.push(el('span', {className: 'badge warn'}, t('differs')));
  }
  return found;
}
