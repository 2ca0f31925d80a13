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
  'leaky-bucket': ['rate', 'capacity'],
  'leaky-queue': ['rate', 'capacity'],
  concurrent: ['limit'],
};

const WORDS_OF_KIND = {'leaky-queue': {capacity: 'waitingCalls'}, concurrent: {limit: 'concurrent'}};

const POLICIES = ['deny', 'allow', 'local', 'owner', 'throw'];

const DURATIONS = [900, 1800, 3600, 4 * 3600, 86400, null];
const USUAL_SECONDS = 1800;

export const fieldName = (name, kind) => t(WORDS_OF_KIND[kind]?.[name] || FIELDS[name]?.word || name);

export const fieldText = (name, value) =>
  name === 'burst' || name === 'period' || name === 'timeout' ? span(value)
  : name === 'rate' ? t('rateOf', number(value))
  : name === 'onFailure' ? value
  : number(value);

export function durationText(seconds) {
  return seconds === null ? t('forever')
    : seconds === 86400 ? t('day')
    : seconds === 3600 ? t('hour')
    : seconds % 3600 === 0 ? t('hours', number(seconds / 3600))
    : t('minutes', number(seconds / 60));
}

/**
 * Fields for the definition of a limit.
 *
 * @param {object} limit as reported
 * @param {object|null} live the live limit that they change
 * @param {string} prefix of the ids of the fields
 * @returns {{own: string[], field: (name: string) => Element, elements: Element[], settings: () => object,
 *   problem: () => string|null}} what is wrong is also marked in its field
 */
export function numberFields(limit, live, prefix = 'field-') {
  const inputs = new Map();
  const own = OF_KIND[limit.kind] || [];

  function field(name) {
    const {unit, step} = FIELDS[name];
    const id = prefix + name;
    const set = live ? live.settings[name] ?? null : null;
    const effective = limit.settings[name] ?? null;
    const input = el('input', {
      id, name, type: 'number', inputmode: 'decimal', min: '0', step, autocomplete: 'off', value: set,
      placeholder: effective === null ? '–' : String(effective),
      // What is typed replaces the number, rather than being added to it.
      onfocus: event => event.target.select(),
    });
    inputs.set(name, input);
    return el('div', {className: 'field'},
      el('label', {for: id}, fieldName(name, limit.kind)),
      el('span', {className: 'unit'}, input, el('span', {'aria-hidden': 'true'}, t(unit))));
  }

  const isSet = input => input.value !== '' || input.validity.badInput;

  function wrong(name) {
    inputs.get(name).setAttribute('aria-invalid', 'true');
    inputs.get(name).focus();
  }

  function problem() {
    inputs.forEach(input => input.removeAttribute('aria-invalid'));
    for (const [name, input] of inputs) {
      if (isSet(input) && !FIELDS[name].check(input.valueAsNumber)) {
        wrong(name);
        return t(FIELDS[name].problem, fieldName(name, limit.kind));
      }
    }
    if (own.includes('burst') && isSet(inputs.get('capacity')) && isSet(inputs.get('burst'))) {
      wrong('burst');
      return t('capacityOrBurst');
    }
    return null;
  }

  const settings = () => Object.fromEntries(
    [...inputs].filter(([, input]) => isSet(input)).map(([name, input]) => [name, input.valueAsNumber]));

  return {own, field, elements: own.map(field), settings, problem};
}

/** For how long a live limit is stored. */
export function durationChoice(prefix = 'field-') {
  const id = `${prefix}duration`;
  const select = el('select', {id, name: 'duration'}, DURATIONS.map(seconds =>
    el('option', {value: seconds ?? '', selected: seconds === USUAL_SECONDS || null}, durationText(seconds))));
  return {
    element: el('div', {className: 'field'}, el('label', {for: id}, t('duration')), select),
    seconds: () => select.value === '' ? null : Number(select.value),
  };
}

/**
 * @param {object} limit as reported
 * @param {object|null} live the live limit that the form changes
 * @param {(change: {settings: object, why: string, expiresSeconds: number|null}) => void} onPreview
 * @param {() => void} onRemove
 */
export function changeForm(limit, live, onPreview, onRemove) {
  const numbers = numberFields(limit, live);
  const timeout = numbers.field('timeout');
  const duration = durationChoice();
  const error = el('p', {className: 'error', role: 'alert', hidden: true});
  const policy = live ? live.settings.onFailure ?? null : null;
  // One with a share, such as local(0.2), is not offered, and stays.
  const policies = el('select', {id: 'field-onFailure', name: 'onFailure'},
    ['', ...POLICIES, ...(policy === null || POLICIES.includes(policy) ? [] : [policy])].map(value =>
      el('option', {value, selected: value === (policy ?? '') || null}, value || t('unchanged'))));
  const why = el('input', {id: 'field-why', name: 'why', maxlength: '500', placeholder: t('reasonHint'), autocomplete: 'off'});
  return el('form', {
    novalidate: true,
    onsubmit: event => {
      event.preventDefault();
      submit();
    },
  },
  numbers.own.length === 0 ? el('p', {className: 'muted small'}, t('unknownKind')) : null,
  el('div', {className: 'fields'},
    numbers.elements,
    duration.element,
    el('div', {className: 'field wide'}, el('label', {for: 'field-why'}, t('reason')), why),
    el('details', {className: 'wide', open: policy !== null || live?.settings.timeout != null},
      el('summary', {}, t('more')), el('div', {className: 'fields'}, timeout,
        el('div', {className: 'field'}, el('label', {for: 'field-onFailure'}, t('onFailure')), policies)))),
  error,
  el('div', {className: 'actions'},
    el('button', {type: 'submit', className: 'primary', id: 'preview'}, t('preview')),
    live ? el('button', {type: 'button', id: 'remove', onclick: onRemove}, t('removeLive')) : null));

  function submit() {
    const problem = numbers.problem();
    setText(error, problem ?? '');
    error.hidden = problem === null;
    if (problem !== null) {
      return;
    }
    const settings = {kind: numbers.own.length > 0 ? limit.kind : null, ...numbers.settings()};
    if (policies.value) {
      settings.onFailure = policies.value;
    }
    onPreview({settings, why: why.value.trim(), expiresSeconds: duration.seconds()});
  }
}
