/** What the page knows, shared by its views. */
import {el} from './dom.js';
import {t} from './words.js';

/** Seconds that lines go back. */
export const POINTS = 120;

export const state = {
  session: {user: null, write: false, unsecured: false},
  /** The last message of the server; null before. */
  fleet: null,
  /** Milliseconds that the server's clock is ahead. */
  clock: 0,
  series: new Map(),
  /** Newest first; null before it was read. */
  history: null,
  historyProblem: null,
};

const NONE = {granted: [], rejected: []};

export const idOf = limit => JSON.stringify([limit.prefix, limit.name]);

export const seriesOf = limit => state.series.get(idOf(limit)) || NONE;

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

export function liveOf(name) {
  return state.fleet ? state.fleet.live.find(live => live.name === name) || null : null;
}

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
