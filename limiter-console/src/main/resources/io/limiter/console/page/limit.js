/** One limit. */
import {askRemove, askRollBack, previewChange} from './change.js';
import {el, isolated, named, setText, setWidth} from './dom.js';
import {count, definitionOf, describe, moment, percent, rate, shareOf, sourceText, span, waitTime} from './format.js';
import {changeForm} from './form.js';
import {graph} from './graph.js';
import {changeList} from './history.js';
import {keyActions, keyLink, keyOf, keysCard} from './keys.js';
import {badges, liveOf, now, recent, seriesOf, state} from './state.js';
import {t} from './words.js';

const SOURCES_SHOWN = 6;

export function limitView(prefix, name, {reload}) {
  const find = () => state.fleet?.limits.find(each => each.prefix === prefix && each.name === name) || null;
  const title = el('h1', {}, named(name));
  const marks = el('span', {className: 'badges'});
  const definition = el('p', {className: 'muted'});
  const canvas = el('canvas', {role: 'img'});
  const granted = el('b');
  const rejected = el('b');
  const share = el('b');
  const waits = el('b');
  const meanWait = el('b');
  const waiting = el('li', {className: 'plain', id: 'waits', hidden: true}, `${t('waits')} `, waits, ` ${t('meanWait')} `, meanWait);
  const live = el('div', {className: 'card', id: 'live'});
  const form = el('div', {className: 'card', id: 'form'});
  const hottest = el('div', {className: 'card'});
  const keys = keysCard(name, find, reload);
  const sources = el('div', {className: 'card'});
  const changed = el('div', {className: 'card'});
  const problems = el('div', {className: 'stack'});
  const known = el('div', {className: 'columns'},
    el('div', {className: 'stack'},
      el('section', {className: 'card graph'},
        el('h2', {}, t('chart')),
        el('ul', {className: 'legend'},
          el('li', {}, `${t('granted')} `, granted), el('li', {className: 'r'}, `${t('rejected')} `, rejected),
          el('li', {className: 'plain'}, `${t('rejectedShare')} `, share), waiting),
        el('div', {className: 'chart'}, canvas)),
      form, changed),
    el('div', {className: 'stack'}, live, hottest, keys.element, sources));
  const unknown = el('div', {className: 'card empty', hidden: true},
    el('h2', {}, t('unknownLimit')), el('p', {}, t('unknownLimitText')));
  const element = el('div', {},
    el('a', {className: 'back', href: '#/'}, `← ${t('back')}`),
    el('div', {className: 'title'}, title, marks, definition, problems), known, unknown);
  let chart = null;
  const shown = {};

  /** Builds a part again only if what it shows has changed, because a form that is being filled in must stay. */
  function part(id, value, build) {
    const shape = JSON.stringify(value);
    if (shown[id] !== shape) {
      shown[id] = shape;
      build();
    }
  }

  function update() {
    const limit = find();
    known.hidden = !limit;
    unknown.hidden = !!limit || !state.fleet || state.fleet.instances.length === 0;
    if (!limit) {
      return;
    }
    chart ??= graph(canvas);
    const ofLive = liveOf(name);
    part('marks', [badges(limit).map(badge => badge.textContent)], () => marks.replaceChildren(...badges(limit)));
    setText(definition, [isolated(prefix + name), isolated(limit.kind), definitionOf(limit)].filter(text => text).join(' · '));
    part('problems', limit.notApplied, () => problems.replaceChildren(...limit.notApplied.map(each =>
      el('p', {className: 'is-warning small'}, t('notAppliedHere', isolated(each.instance), isolated(each.why))))));
    setText(granted, rate(limit.granted));
    setText(rejected, rate(limit.rejected));
    setText(share, percent(shareOf(limit.granted ?? 0, limit.rejected ?? 0)));
    // Shown from the first wait on: most limits have none.
    waiting.hidden &&= !limit.waits;
    setText(waits, rate(limit.waits));
    setText(meanWait, waitTime(limit.meanWait));
    canvas.setAttribute('aria-label', t('chartLabel', rate(limit.granted), rate(limit.rejected)));
    const changes = (state.history || []).filter(change => change.name === (change.key ? limit.limiter : name));
    chart.draw(seriesOf(limit), changes.filter(change => !change.key).map(change => ({
      at: (change.at - now()) / 1000, text: change.after ? describe(change.after.settings) : t('own'),
    })));
    showLive(ofLive);
    part('form', [ofLive, limit.kind, state.session.write, ofLive ? null : limit.settings], () => showForm(limit, ofLive));
    showHottest(limit);
    keys.update();
    showSources(limit);
    part('recent', [changes, state.session], () => changed.replaceChildren(
      el('h2', {}, t('recent')),
      changes.length === 0 ? el('p', {className: 'muted small'}, state.history?.length ? t('noRecent', state.history.length) : t('noHistory'))
        : changeList(changes, false, change => askRollBack(change, reload))));
  }

  function showLive(ofLive) {
    live.classList.toggle('live', !!ofLive);
    part('live', ofLive, () => live.replaceChildren(
      el('h2', {}, t('liveLimit')),
      ofLive ? el('dl', {className: 'facts'},
        fact('settings', describe(ofLive.settings)),
        fact('by', named(ofLive.who)),
        ofLive.why ? fact('why', named(ofLive.why)) : null,
        fact('since', moment(ofLive.since)),
        fact('until', ofLive.expiresAt === null ? t('untilRemoved') : '', 'ends'))
        : el('p', {className: 'muted small'}, t('noLive'))));
    if (ofLive && ofLive.expiresAt !== null) {
      setText(live.querySelector('.ends'),
        `${moment(ofLive.expiresAt)} (${t('ends', span(Math.max(0, Math.round((ofLive.expiresAt - now()) / 1000))))})`);
    }
  }

  function showForm(limit, ofLive) {
    form.replaceChildren(el('h2', {}, t('change')), state.session.write
      ? changeForm(limit, ofLive, change => previewChange(limit, ofLive, change, reload), () => askRemove(ofLive, reload))
      : el('p', {className: 'muted small'}, t('readOnly')));
  }

  function showHottest(limit) {
    const most = Math.max(1, ...limit.hottest.map(key => key.requests));
    const isUsed = limit.hottest.length === 0 && recent(limit, 'granted') + recent(limit, 'rejected') > 0;
    part('hottest', [limit.hottest, state.session.keys, isUsed], () => hottest.replaceChildren(
      el('h2', {}, t('hottestKeys')),
      ...limit.hottest.length === 0 ? [el('p', {className: 'muted small'}, t(isUsed ? 'noKeys' : 'noRequests'))]
        : [bars(limit.hottest.map(key => [
          [el('a', {className: 'code', href: keyLink(prefix, name, key.key)}, named(key.key)),
            state.session.keys ? keyActions(limit, keyOf(key.key), reload) : null],
          count(key.requests), key.requests / most])),
          el('p', {className: 'muted small after'}, t('hottestNote'),
            !state.session.showKeys ? ` ${t('hashedKeys')}` : '')]));
  }

  function showSources(limit) {
    const found = Object.entries(limit.sources).filter(([, each]) => each > 0)
      .sort((one, other) => other[1] - one[1]).slice(0, SOURCES_SHOWN);
    const all = found.reduce((sum, [, each]) => sum + each, 0);
    sources.hidden = found.length === 0;
    sources.replaceChildren(el('h2', {}, t('sources')),
      bars(found.map(([source, each]) => [sourceText(source), percent(each / all), each / all])));
  }

  return {
    element, update, paint: () => chart?.paint(), close: () => {
      chart?.close();
      keys.close();
    },
  };
}

function fact(word, text, className) {
  return [el('dt', {}, t(word)), el('dd', {className: className || null}, text)];
}

function bars(lines) {
  return el('ul', {className: 'bars'}, lines.map(([name, text, part]) => {
    const bar = el('b');
    setWidth(bar, part);
    return el('li', {}, el('span', {}, name), el('span', {className: 'muted'}, text),
      el('span', {className: 'bar', 'aria-hidden': 'true'}, bar));
  }));
}
