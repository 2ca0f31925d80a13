/** The form that changes a limit. */
import {el, setText} from './dom.js';
import {number, span} from './format.js';
import {t} from './words.js';

const positive = {step: 'any', check: value => value > 0, problem: 'badNumber'};
const whole = {step: '1', check: value => Number.isInteger(value) && value >= 1, problem: 'badWhole'};

const FIELDS = {
  rate: {word: 'rate', unit: 'perSecond', ...positive},
  capacity: {word: 'capacity', unit: 'permits', ...positive},
  burst: {word: 'burst', unit: 'seconds', ...positive},
  limit: {word: 'maximum', unit: 'permits', ...whole},
  period: {word: 'period', unit: 'seconds', ...positive},
  timeout: {word: 'timeout', unit: 'seconds', step: 'any', check: value => value >= 0, problem: 'badTimeout'},
};

const OF_KIND = {
  'token-bucket': ['rate', 'capacity', 'burst'],
  'fixed-window': ['limit', 'period'],
  'sliding-log': ['limit', 'period'],
  'sliding-counter': ['limit', 'period'],
  'leaky-bucket': ['rate', 'limit'],
  'leaky-queue': ['rate', 'limit'],
  concurrent: ['limit'],
};

const WORD_OF_LIMIT = {'leaky-bucket': 'capacity', 'leaky-queue': 'waitingCalls', concurrent: 'concurrent'};

const POLICIES = ['DENY', 'ALLOW', 'LOCAL', 'THROW'];

const DURATIONS = [900, 1800, 3600, 4 * 3600, 86400, null];
const USUAL_SECONDS = 1800;

export const fieldName = (name, kind) => t(name === 'limit' && WORD_OF_LIMIT[kind] || FIELDS[name]?.word || name);

export const fieldText = (name, value) =>
  name === 'burst' || name === 'period' || name === 'timeout' ? span(value)
  : name === 'rate' ? t('rateOf', number(value))
  : name === 'failurePolicy' ? value
  : number(value);

export function durationText(seconds) {
  return seconds === null ? t('forever')
    : seconds === 86400 ? t('day')
    : seconds === 3600 ? t('hour')
    : seconds % 3600 === 0 ? t('hours', number(seconds / 3600))
    : t('minutes', number(seconds / 60));
}

/**
 * @param {object} limit as reported
 * @param {object|null} live the live limit that the form changes
 * @param {(change: {settings: object, why: string, expiresSeconds: number|null}) => void} onPreview
 * @param {() => void} onRemove
 */
export function changeForm(limit, live, onPreview, onRemove) {
  const inputs = new Map();
  const own = OF_KIND[limit.kind] || [];
  const error = el('p', {className: 'error', role: 'alert', hidden: true});

  function field(name) {
    const {unit, step} = FIELDS[name];
    const id = `field-${name}`;
    const set = live ? live.settings[name] ?? null : null;
    const effective = limit.settings[name] ?? null;
    const input = el('input', {
      id, name, type: 'number', inputmode: 'decimal', min: '0', step, autocomplete: 'off', value: set,
      placeholder: effective === null ? t('unchanged') : String(effective),
      // What is typed replaces the number, rather than being added to it.
      onfocus: event => event.target.select(),
    });
    inputs.set(name, input);
    return el('div', {className: 'field'},
      el('label', {for: id}, fieldName(name, limit.kind)),
      el('span', {className: 'unit'}, input, el('span', {'aria-hidden': 'true'}, t(unit))));
  }

  function choice(name, word, options) {
    const select = el('select', {id: `field-${name}`, name}, options.map(([value, text, chosen]) =>
      el('option', {value, selected: chosen || null}, text)));
    inputs.set(name, select);
    return el('div', {className: 'field'}, el('label', {for: `field-${name}`}, t(word)), select);
  }

  const policy = live ? live.settings.failurePolicy ?? null : null;
  const why = el('input', {id: 'field-why', name: 'why', maxlength: '500', placeholder: t('reasonHint'), autocomplete: 'off'});
  const more = [field('timeout'), choice('failurePolicy', 'failurePolicy',
    [['', t('unchanged'), policy === null], ...POLICIES.map(each => [each, each.toLowerCase(), policy === each])])];
  const form = el('form', {
    novalidate: true,
    onsubmit: event => {
      event.preventDefault();
      submit();
    },
  },
  own.length === 0 ? el('p', {className: 'muted small'}, t('unknownKind')) : null,
  el('div', {className: 'fields'},
    own.map(field),
    choice('duration', 'duration',
      DURATIONS.map(seconds => [seconds ?? '', durationText(seconds), seconds === USUAL_SECONDS])),
    el('div', {className: 'field wide'}, el('label', {for: 'field-why'}, t('reason')), why),
    el('details', {className: 'wide', open: policy !== null || live?.settings.timeout != null},
      el('summary', {}, t('more')), el('div', {className: 'fields'}, more))),
  error,
  el('div', {className: 'actions'},
    el('button', {type: 'submit', className: 'primary', id: 'preview'}, t('preview')),
    live ? el('button', {type: 'button', id: 'remove', onclick: onRemove}, t('removeLive')) : null));

  function fail(text, input) {
    setText(error, text);
    error.hidden = false;
    if (input) {
      input.setAttribute('aria-invalid', 'true');
      input.focus();
    }
  }

  function submit() {
    error.hidden = true;
    inputs.forEach(input => input.removeAttribute('aria-invalid'));
    const settings = {kind: own.length > 0 ? limit.kind : null};
    for (const name of [...own, 'timeout']) {
      const input = inputs.get(name);
      if (input.value === '' && !input.validity.badInput) {
        continue;
      }
      const value = input.valueAsNumber;
      if (!FIELDS[name].check(value)) {
        fail(t(FIELDS[name].problem, fieldName(name, limit.kind)), input);
        return;
      }
      settings[name] = value;
    }
    if (settings.capacity !== undefined && settings.burst !== undefined) {
      fail(t('capacityOrBurst'), inputs.get('burst'));
      return;
    }
    if (inputs.get('failurePolicy').value) {
      settings.failurePolicy = inputs.get('failurePolicy').value;
    }
    // A share has no field here, and stays.
    if (settings.failurePolicy === 'LOCAL' && live && live.settings.failureShare != null) {
      settings.failureShare = live.settings.failureShare;
    }
    const duration = inputs.get('duration').value;
    onPreview({settings, why: why.value.trim(), expiresSeconds: duration === '' ? null : Number(duration)});
  }

  return form;
}
