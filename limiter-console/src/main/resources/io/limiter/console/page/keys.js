/** The live limits of single keys of one limit. */
import * as api from './api.js';
import {askKey, askRemove} from './change.js';
import {el, isolated, named, setText, visible} from './dom.js';
import {describe, ending} from './format.js';
import {state} from './state.js';
import {t} from './words.js';

const SEARCH_MILLIS = 300;

/** A key as the server knows it: where reports have hashes, one of 16 digits is a hash. */
export const keyOf = text => ({value: text, hashed: !state.session.showKeys && /^[0-9a-f]{16}$/.test(text)});

/** The plan of a limit; empty for none. */
export const planOf = ({name, limiter}) => name.slice(limiter.length + 1);

/** The page of a key. */
export const keyLink = (prefix, name, value) => `#/key/${[prefix, name, value].map(encodeURIComponent).join('/')}`;

/** The remedies for a key. */
export function keyActions(limit, key, done) {
  const button = (word, action) => el('button', {
    type: 'button', className: 'small', 'aria-label': `${t(word)}: ${isolated(key.value)}`,
    onclick: () => askKey(limit, key, action, done),
  }, t(word));
  return el('span', {className: 'remedies'}, button('limitKey', 'limit'), button('exemptKey', 'EXEMPT'), button('banKey', 'BANNED'));
}

/**
 * A card with the keys that have a live limit.
 *
 * @param {() => object|null} find the limit as reported
 * @param {() => void} done after a change
 */
export function keysCard(name, find, done) {
  let found = {all: 0, keys: []};
  let problem = null;
  let version = null;
  let shown;
  let timer = 0;
  const search = el('input', {
    type: 'search', id: 'key', className: 'search', 'aria-label': t('findKey'), placeholder: t('findKey'),
    autocomplete: 'off', spellcheck: 'false', maxlength: '1000',
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(read, SEARCH_MILLIS);
    },
  });
  const list = el('div');
  const element = el('section', {className: 'card', id: 'keys'}, el('h2', {}, t('keys')), search, list);

  async function read() {
    const wanted = search.value.trim();
    try {
      const answer = await api.keys(find()?.limiter ?? name, wanted);
      if (wanted !== search.value.trim()) {
        return;
      }
      found = answer;
      problem = null;
    } catch (error) {
      problem = error.message || t('noAnswer');
    }
    show();
  }

  function show() {
    const wanted = search.value.trim();
    const shape = JSON.stringify([found, problem, wanted, state.session]);
    if (shape === shown) {
      return;
    }
    shown = shape;
    const isThere = found.keys.some(each => each.key.value === wanted);
    list.replaceChildren(
      problem !== null ? el('p', {className: 'is-warning small'}, visible(problem)) : '',
      found.all === 0 ? el('p', {className: 'muted small'}, t(wanted ? 'noKeyFound' : 'noKeyLimits'))
        : el('ul', {className: 'changes'}, found.keys.map(row)),
      found.all > found.keys.length ? el('p', {className: 'muted small'}, t('moreKeys', found.keys.length, found.all)) : '',
      wanted && !isThere && state.session.keys && find()
        ? el('p', {}, keyText(wanted), ' ', keyActions(find(), keyOf(wanted), changed)) : '');
  }

  const keyText = value => find() ? el('a', {className: 'code', href: keyLink(find().prefix, find().name, value)}, named(value))
    : el('span', {className: 'code'}, named(value));

  function row(live) {
    return el('li', {},
      el('div', {className: 'what'}, keyText(live.key.value), ': ', describe(live.settings),
        el('span', {className: 'expiry'}, ` · ${ending(live)}`)),
      el('div', {className: 'by'}, named(live.who), live.why ? el('div', {className: 'reason'}, named(live.why)) : null),
      state.session.keys ? el('button', {
        type: 'button', 'aria-label': `${t('removeLive')}: ${isolated(live.key.value)}`, onclick: () => askRemove(live, changed),
      }, t('remove')) : null);
  }

  function changed() {
    read();
    done();
  }

  return {
    element,
    update() {
      if (state.fleet && state.fleet.version !== version) {
        version = state.fleet.version;
        read();
      }
      show();
    },
    close: () => clearTimeout(timer),
  };
}
