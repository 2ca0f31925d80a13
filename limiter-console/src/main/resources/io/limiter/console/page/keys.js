/** The live limits of single keys of one limit. */
import * as api from './api.js';
import {askKey, askRemove} from './change.js';
import {el, isolated, named, setText, visible} from './dom.js';
import {describe, ending} from './format.js';
import {hidesHashed, state} from './state.js';
import {t} from './words.js';

const SEARCH_MILLIS = 300;

/** A key as the server knows it: where reports have hashes, one of 16 digits is a hash. */
export const keyOf = text => ({value: text, hashed: !state.session.showKeys && /^[0-9a-f]{16}$/.test(text)});

/** The plan of a limit; empty for none. */
export const planOf = ({name, limiter}) => name.slice(limiter.length + 1);

/** Why a list has no live limits of keys. */
export const noneText = wanted => t(hidesHashed() ? 'hashedLimits' : wanted ? 'noKeyFound' : 'noKeyLimits');

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

/** Removes the live limit of a key. */
export const removeButton = (live, done, className) => el('button', {
  type: 'button', className, 'aria-label': `${t('removeLive')}: ${isolated(live.key.value)}`, onclick: () => askRemove(live, done),
}, t('remove'));

/**
 * A field that finds live limits of keys; they are read again when one has changed.
 *
 * @param {() => string|null} name of the limit; null for all
 * @param {() => void} show what was found, or the problem
 */
export function keySearch({id, word, value, name, show}) {
  let version = null;
  let timer = 0;
  const search = {
    found: {all: 0, keys: []},
    problem: null,
    input: el('input', {
      type: 'search', id, className: 'search', 'aria-label': t(word), placeholder: t(word), value, autocomplete: 'off',
      spellcheck: 'false', maxlength: '1000',
      oninput: () => {
        clearTimeout(timer);
        timer = setTimeout(search.read, SEARCH_MILLIS);
      },
    }),
    wanted: () => search.input.value.trim(),
    async read() {
      const wanted = search.wanted();
      try {
        const answer = await api.keys(name(), wanted);
        if (wanted !== search.wanted()) {
          return;
        }
        search.found = answer;
        search.problem = null;
      } catch (error) {
        search.problem = error.message || t('noAnswer');
      }
      show();
    },
    update() {
      if (state.fleet && state.fleet.version !== version) {
        version = state.fleet.version;
        search.read();
      }
    },
    close: () => clearTimeout(timer),
  };
  return search;
}

/**
 * A card with the keys that have a live limit.
 *
 * @param {() => object|null} find the limit as reported
 * @param {() => void} done after a change
 */
export function keysCard(name, find, done) {
  let shown;
  const search = keySearch({id: 'key', word: 'findKey', name: () => find()?.limiter ?? name, show});
  const list = el('div');
  const element = el('section', {className: 'card', id: 'keys'}, el('h2', {}, t('keys')), search.input, list);

  function show() {
    const {found, problem} = search;
    const wanted = search.wanted();
    const shape = JSON.stringify([found, problem, wanted, state.session]);
    if (shape === shown) {
      return;
    }
    shown = shape;
    const isThere = found.keys.some(each => each.key.value === wanted);
    list.replaceChildren(
      problem !== null ? el('p', {className: 'is-warning small'}, visible(problem)) : '',
      found.all === 0 ? el('p', {className: 'muted small'}, noneText(wanted))
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
      state.session.keys ? removeButton(live, changed) : null);
  }

  function changed() {
    search.read();
    done();
  }

  return {
    element,
    update() {
      search.update();
      show();
    },
    close: search.close,
  };
}
