/** The console: follows the fleet and shows one of its views. */
import * as api from './api.js';
import {askRollBack} from './change.js';
import {isolated, setText, visible} from './dom.js';
import {moment, percent, rate, shareOf} from './format.js';
import {historyView} from './history.js';
import {backendState, instancesView} from './instances.js';
import {keyView} from './key.js';
import {limitView} from './limit.js';
import {limitedView} from './limited.js';
import {limitsView} from './limits.js';
import {accept, acceptHistory, recent, state} from './state.js';
import {currentLanguage, setLanguage, t} from './words.js';

const HISTORY_MILLIS = 10_000;
const HISTORY_PAGE = 50;
const LARGE_HISTORY_PAGE = 1000;
const UNREADABLE_SHOWN = 3;
const THEMES = ['System', 'Light', 'Dark'];

const root = document.documentElement;
const main = document.getElementById('main');
const byId = id => document.getElementById(id);

let view = null;
let historyAt = 0;
let historyRead = Promise.resolve();
let connection = 'connecting';

/** Storage may be forbidden. */
const stored = {
  get(name) {
    try {
      return localStorage.getItem(`limiter-console-${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`limiter-console-${name}`, value);
    } catch {
      // Then it holds until the page is loaded again.
    }
  },
};

function reload() {
  historyAt = 0;
  readHistory();
}

/** One after the other: a page is added to what was read before it. */
function inTurn(read) {
  historyRead = historyRead.then(async () => {
    try {
      await read();
      state.historyProblem = null;
    } catch (error) {
      state.historyProblem = error.message;
    }
    view?.update();
  });
  return historyRead;
}

function readHistory() {
  historyAt = Date.now();
  return inTurn(async () => acceptHistory(await api.history(0, HISTORY_PAGE), true));
}

/** Reads older changes, until there are enough of them. */
const readOlder = enough => inTurn(async () => {
  while (state.historyNext > 0 && state.history.length < enough) {
    acceptHistory(await api.history(state.historyNext, LARGE_HISTORY_PAGE), false);
  }
});

function show() {
  const [kind, ...parts] = location.hash.replace(/^#\/?/, '').split('/');
  view?.close?.();
  if (kind === 'limit' && parts.length === 2) {
    view = limitView(decode(parts[0]), decode(parts[1]), {reload});
  } else if (kind === 'key' && parts.length === 3) {
    view = keyView(...parts.map(decode), {reload});
  } else if (kind === 'keys') {
    view = limitedView({reload});
  } else if (kind === 'history') {
    view = historyView({rollBack: change => askRollBack(change, reload), readOlder});
  } else if (kind === 'instances') {
    view = instancesView();
  } else {
    view = limitsView();
  }
  const current = kind === 'key' ? 'keys' : ['keys', 'history', 'instances'].includes(kind) ? kind : 'limits';
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.dataset.view === current) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  main.replaceChildren(view.element);
  view.update();
}

/** A link may be cut off anywhere. */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function showFigures() {
  const fleet = state.fleet;
  if (!fleet) {
    return;
  }
  const sum = outcome => fleet.limits.reduce((all, each) => all + (recent(each, outcome) ?? 0), 0);
  const known = fleet.limits.some(each => recent(each, 'granted') !== null);
  setText(byId('sum-granted'), known ? rate(sum('granted')) : '–');
  setText(byId('sum-rejected'), known ? rate(sum('rejected')) : '–');
  byId('sum-rejected').classList.toggle('is-rejected', sum('rejected') > 0);
  setText(byId('sum-share'), percent(shareOf(sum('granted'), sum('rejected'))));
  setText(byId('sum-instances'), String(fleet.instances.length));
  const backend = backendState(fleet);
  setText(byId('sum-backend'), backend.text);
  byId('sum-backend').className = backend.up ? 'word' : 'word is-rejected';
}

function showConnection() {
  const lost = connection !== 'connecting' && connection !== 'live';
  byId('connection').dataset.state = lost ? 'lost' : connection;
  setText(byId('connection'), t(lost ? 'lost' : connection));
  document.body.classList.toggle('lost', lost);
  const notice = byId('lost');
  const problem = state.fleet && !lost ? state.fleet.problem : null;
  notice.hidden = !lost && !problem;
  setText(notice, problem ? t('problem', isolated(problem))
    : connection === 'lost-full' ? t('lostFull')
    : connection === 'lost-401' ? t('lostLogin')
    : connection === 'lost-403' ? t('lostRights')
    : connection === 'lost-protocol' ? t('lostProtocol')
    : lost ? t('lostText', state.fleet ? moment(state.fleet.at) : '–')
    : '');
  byId('unsecured').hidden = !state.session.unsecured;
  const user = state.session.unsecured ? null : state.session.user;
  byId('user').hidden = !user;
  setText(byId('user'), visible(user ?? ''));
  byId('user').title = t('loggedIn', isolated(user ?? ''));
  const unreadable = state.fleet?.unreadable ?? [];
  byId('unreadable').hidden = unreadable.length === 0;
  setText(byId('unreadable'), t(unreadable.length === 1 ? 'unreadableOne' : 'unreadable', unreadable.length,
    unreadable.slice(0, UNREADABLE_SHOWN).map(each => `${isolated(each.name)} (${isolated(each.why)})`).join('; ')
      + (unreadable.length > UNREADABLE_SHOWN ? '; …' : '')));
}

function showWords() {
  root.lang = currentLanguage() === 'zh' ? 'zh-CN' : 'en';
  for (const element of document.querySelectorAll('[data-word]')) {
    setText(element, t(element.dataset.word));
  }
  for (const element of document.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', t(element.dataset.label));
  }
  setText(byId('language'), t('language'));
  byId('language').setAttribute('aria-label', t('languageLabel'));
  const theme = t(`theme${themeNow()}`);
  setText(byId('theme').querySelector('.text'), theme);
  byId('theme').setAttribute('aria-label', t('themeLabel', theme));
  showConnection();
}

function themeNow() {
  const theme = stored.get('theme');
  return THEMES.includes(theme) ? theme : 'System';
}

function showTheme() {
  const theme = themeNow();
  if (theme === 'System') {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = theme.toLowerCase();
  }
  view?.paint?.();
}

byId('theme').addEventListener('click', () => {
  stored.set('theme', THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length]);
  showTheme();
  showWords();
});

byId('language').addEventListener('click', () => {
  setLanguage(currentLanguage() === 'zh' ? 'en' : 'zh');
  stored.set('language', currentLanguage());
  showWords();
  showFigures();
  show();
});

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view?.paint?.());

window.addEventListener('hashchange', () => {
  show();
  main.focus();
  window.scrollTo(0, 0);
});

async function start() {
  setLanguage(stored.get('language') || (navigator.language.startsWith('zh') ? 'zh' : 'en'));
  showTheme();
  showWords();
  show();
  try {
    state.session = await api.session();
  } catch {
    // The stream says what is wrong.
  }
  showConnection();
  let version = null;
  api.follow(fleet => {
    connection = 'live';
    accept(fleet);
    showConnection();
    showFigures();
    view.update();
    if (fleet.version !== version || Date.now() - historyAt > HISTORY_MILLIS) {
      version = fleet.version;
      readHistory();
    }
  }, (status, full) => {
    connection = status === 401 || status === 403 ? `lost-${status}`
      : status === api.OTHER_PROTOCOL ? 'lost-protocol' : full ? 'lost-full' : 'lost';
    showConnection();
  });
}

start();
