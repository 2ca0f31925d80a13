/** Numbers, times and limits as text. */
import {isolated} from './dom.js';
import {currentLanguage, t} from './words.js';

const formats = new Map();

function numberFormat(options) {
  const id = currentLanguage() + JSON.stringify(options);
  if (!formats.has(id)) {
    formats.set(id, new Intl.NumberFormat(currentLanguage(), options));
  }
  return formats.get(id);
}

export function number(value) {
  return numberFormat({maximumSignificantDigits: 6}).format(value);
}

/** Of requests per second. */
export function rate(value) {
  if (value === null || value === undefined) {
    return '–';
  }
  if (value >= 100_000) {
    return numberFormat({notation: 'compact', maximumFractionDigits: 1}).format(value);
  }
  const digits = value > 0 && value < 9.95 ? 1 : 0;
  return numberFormat({minimumFractionDigits: digits, maximumFractionDigits: digits}).format(value);
}

export function count(value) {
  return value >= 1_000_000
    ? numberFormat({notation: 'compact', maximumFractionDigits: 1}).format(value)
    : numberFormat({maximumFractionDigits: 0}).format(value);
}

/** The share of rejected in all; null without requests. */
export function shareOf(granted, rejected) {
  const all = granted + rejected;
  return all > 0 ? rejected / all : null;
}

export function percent(share) {
  if (share === null) {
    return '–';
  }
  const digits = share > 0 && share < 0.0995 ? 1 : 0;
  return numberFormat({style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits}).format(share);
}

/** Seconds as "30 s", "5 min", "2 h". */
export function span(seconds) {
  for (const [word, unit] of [['daysShort', 86400], ['hoursShort', 3600], ['minutesShort', 60]]) {
    if (seconds >= unit && (seconds % unit === 0 || seconds >= 3 * unit)) {
      return t(word, number(Math.round(seconds / unit)));
    }
  }
  return t('secondsShort', number(seconds >= 10 ? Math.round(seconds) : Math.round(seconds * 1000) / 1000));
}

/** A mean wait in seconds, as "4 ms", "1.3 s"; null without waits. */
export function waitTime(seconds) {
  return seconds === null ? '–'
    : seconds < 1 ? t('millisShort', number(Math.max(1, Math.round(seconds * 1000))))
    : span(Math.round(seconds * 10) / 10);
}

export function ago(millis, now) {
  const seconds = Math.max(0, Math.round((now - millis) / 1000));
  return seconds < 3 ? t('justNow') : t('ago', span(seconds));
}

export function moment(millis) {
  const sameDay = new Date(millis).toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(currentLanguage(), sameDay
    ? {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'}
    : {month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'}).format(millis);
}

/** "50/s", or "1 per 5 s". */
function permitRate(perSecond) {
  const seconds = 1 / perSecond;
  return perSecond < 1 && Math.abs(seconds - Math.round(seconds)) < 1e-6
    ? t('perTime', span(Math.round(seconds)))
    : t('rateOf', number(perSecond));
}

/** The parts of settings that are set, as text. */
export function describe(settings) {
  const parts = [];
  const has = name => settings[name] !== null && settings[name] !== undefined;
  if (has('rate')) {
    parts.push(permitRate(settings.rate));
  }
  if (has('limit') && has('period')) {
    parts.push(t('windowOf', number(settings.limit), span(settings.period)));
  } else if (has('limit')) {
    parts.push(settings.kind === 'concurrent' ? t('concurrentOf', number(settings.limit)) : number(settings.limit));
  } else if (has('period')) {
    parts.push(span(settings.period));
  }
  if (has('capacity')) {
    parts.push(t(settings.kind === 'leaky-queue' ? 'waitingOf' : 'capacityOf', number(settings.capacity)));
  }
  if (has('burst')) {
    parts.push(t('burstOf', number(settings.burst)));
  }
  if (has('timeout')) {
    parts.push(t('timeoutOf', span(settings.timeout)));
  }
  if (has('onFailure')) {
    parts.push(t('policyOf', settings.onFailure));
  }
  if (has('access')) {
    parts.push(t(settings.access === 'BANNED' ? 'banned' : 'exempt'));
  }
  if (has('enforce')) {
    parts.push(t(settings.enforce ? 'enforcedOf' : 'shadowOf'));
  }
  return parts.join(', ');
}

/** Of periods of the calendar, which are no parameters that a live limit can change. */
const CALENDAR = {minute: 'calendarMinute', hour: 'calendarHour', day: 'calendarDay', week: 'calendarWeek', month: 'calendarMonth',
  year: 'calendarYear'};

/** "1,000 per month" of a window that follows the calendar; null for any other limit. */
function calendarOf(limit) {
  const unit = / period=([a-z]+) in /.exec(limit.limit)?.[1];
  return limit.settings.limit != null && CALENDAR[unit] ? t(CALENDAR[unit], number(limit.settings.limit)) : null;
}

/** The limit in effect, without what holds only while Redis is unavailable. */
export function definitionOf(limit) {
  const warnAt = / warnAt=(\d+)/.exec(limit.limit);
  const own = calendarOf(limit) ?? (describe({...limit.settings, onFailure: null}) || isolated(limit.limit));
  return warnAt ? `${own}, ${t('warnsAt', number(Number(warnAt[1])))}` : own;
}

const SOURCES = {backend: 'byRedis', redis: 'byRedis', 'rejection-cache': 'byCache', prefetch: 'byPrefetch', local: 'byInstance',
  policy: 'byPolicy', override: 'byOverride'};

/** Who decided: a source as reports (REJECTION_CACHE) or meters (rejection-cache) name it. */
export function sourceText(source) {
  const word = SOURCES[source.toLowerCase().replace('_', '-')];
  return word ? t(word) : isolated(source);
}

/** When a live limit ends. */
export function ending(live) {
  return live.expiresAt === null ? t('untilRemoved') : t('untilTime', moment(live.expiresAt));
}

/** The parts of a live limit in the history. */
export function described(live) {
  return live ? describe(live.settings) : t('own');
}
