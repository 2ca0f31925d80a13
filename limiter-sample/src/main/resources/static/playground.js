/** Calls the limited endpoints and draws what their headers say. */

const encoded = encodeURIComponent;

/** Buckets fill as time passes; windows are full again at their end; of the others only the answers are known. */
const CALLS = [
  {name: 'import', what: 'A bucket of 10 rows, 1 per s', fills: true, input: ['rows', '1'], path: v => `/limiter/import?rows=${encoded(v)}`},
  {name: 'rate', what: '1 per 5 s, shared by all callers', fills: true, path: () => '/limiter/rate'},
  {name: 'rate2', what: 'The same, programmatically', fills: true, path: () => '/limiter/rate2'},
  {name: 'count', what: '2 in 10 s, for each key', input: ['key', 'a'], path: v => `/limiter/count?key=${encoded(v)}`},
  {name: 'ip', what: '3 in 10 s, for each IP', path: () => '/limiter/ip'},
  {name: 'user', what: '3 in 10 s, for each user', input: ['user', 'ann'], path: v => `/limiter/user?user=${encoded(v)}`},
  {name: 'search', what: '1 per s and 5 in 60 s, for each user', input: ['user', 'ann'], path: v => `/limiter/search?user=${encoded(v)}`},
  {name: 'log', what: '3 in any 10 s, shared by all callers', path: () => '/limiter/log'},
  {name: 'report', what: '1 at a time; takes 3 s, so call it twice', path: () => '/limiter/report'},
  {name: 'sms', what: '1 in 60 s, for each phone number', input: ['phone', '0171'], path: () => '/sms/code',
    options: v => ({method: 'POST', body: new URLSearchParams({phone: v})})},
];

const MINUTE = 60_000;
const GLASS = {top: 20, bottom: 200};
const MOST_MARKS = 20;
const LOG_LINES = 200;

const byId = id => document.getElementById(id);
const states = new Map(CALLS.map(call => [call.name, {
  value: call.input ? call.input[1] : '', limit: null, remaining: null, at: 0, window: null, until: null, nextAt: 0, calls: [],
}]));
let chosen = CALLS[0];

/** Of a structured field such as "rate";r=0;t=5: the parameters of the item with the fewest remaining permits. */
function items(header) {
  return (header || '').split(/,(?=\s*")/).filter(item => item.trim()).map(item => {
    const [name, ...parameters] = item.trim().split(';');
    return {name, ...Object.fromEntries(parameters.map(each => each.trim().split('=')).map(([key, value]) => [key, Number(value)]))};
  });
}

async function call() {
  const {name, path, options} = chosen;
  const state = states.get(name);
  const request = options ? options(state.value) : {};
  const url = path(state.value);
  try {
    const response = await fetch(url, request);
    const body = await response.text();
    const now = Date.now();
    const retryAfter = response.headers.get('Retry-After');
    log(`${request.method || 'GET'} ${url}  ${response.status}${retryAfter ? `  Retry-After: ${retryAfter}` : ''}  ${body}`);
    read(state, response, retryAfter, now);
    const outcome = response.status === 429 ? 'rejected' : response.ok ? 'granted' : 'failed';
    if (outcome !== 'failed') {
      state.calls.push({at: now, outcome});
    }
    state.answer = {outcome, text: outcome === 'failed' ? `failed with status ${response.status}` : outcome};
  } catch (error) {
    state.answer = {outcome: 'failed', text: `no answer: ${error.message}`};
  }
  if (chosen.name === name) {
    flash(state.answer);
  }
}

function read(state, response, retryAfter, now) {
  const remaining = items(response.headers.get('RateLimit'));
  const policies = items(response.headers.get('RateLimit-Policy'));
  if (remaining.length > 0) {
    const least = remaining.reduce((one, other) => other.r < one.r ? other : one);
    const policy = policies.find(each => each.name === least.name);
    state.remaining = least.r;
    state.until = least.t === undefined ? null : now + least.t * 1000;
    state.limit = policy ? policy.q : Math.max(state.limit || 0, least.r);
    state.window = policy && policy.w ? policy.w : null;
    state.at = now;
  } else if (response.status === 429) {
    state.remaining = 0;
    state.at = now;
  }
  state.nextAt = retryAfter ? now + Number(retryAfter) * 1000 : 0;
}

/** Permits at a moment between two answers of the server. */
function permits(call, state, now) {
  if (state.remaining === null || state.limit === null) {
    return null;
  }
  if (call.fills && state.window) {
    return Math.min(state.limit, state.remaining + (now - state.at) / 1000 * state.limit / state.window);
  }
  return state.until !== null && now >= state.until ? state.limit : state.remaining;
}

function log(line) {
  const element = byId('log');
  const lines = element.textContent.split('\n').slice(-LOG_LINES);
  element.textContent = `${lines.join('\n')}${new Date().toLocaleTimeString()}  ${line}\n`;
  element.scrollTop = element.scrollHeight;
}

function flash(answer) {
  const gauge = byId('gauge');
  gauge.setAttribute('class', answer.outcome);
  clearTimeout(flash.timer);
  flash.timer = setTimeout(() => gauge.removeAttribute('class'), 600);
}

let level = 1;

function draw() {
  const now = Date.now();
  const state = states.get(chosen.name);
  const left = permits(chosen, state, now);
  const target = left === null ? 1 : state.limit > 0 ? left / state.limit : 0;
  // Drops immediately, and fills as smoothly as time passes.
  level += (target - level) * (target < level ? 0.35 : 0.2);
  const y = GLASS.bottom - (GLASS.bottom - GLASS.top) * level;
  byId('level').setAttribute('transform', `translate(0 ${y.toFixed(2)})`);
  const whole = left === null ? null : Math.floor(left + 1e-9);
  setText('remaining', whole === null ? '–' : String(whole));
  setText('limit', state.limit === null ? '' : ` of ${state.limit}`);
  const wait = state.nextAt - now;
  setText('next', state.remaining === null ? '–' : wait > 0 ? `in ${Math.ceil(wait / 1000)} s` : whole > 0 ? 'now' : untilNext(state, left, now));
  setText('answer', state.answer ? state.answer.text : '–');
  byId('answer').className = state.answer ? state.answer.outcome : '';
  byId('gauge').setAttribute('aria-label', whole === null ? 'No call yet' : `${whole} of ${state.limit} permits`);
  drawMarks(state.limit);
  drawTimeline(state, now);
  requestAnimationFrame(draw);
}

function untilNext(state, left, now) {
  const seconds = chosen.fills && state.window ? (1 - left) * state.window / state.limit
    : state.until === null ? 0 : (state.until - now) / 1000;
  return seconds > 0 ? `in ${Math.ceil(seconds)} s` : 'now';
}

let marked = null;

/** A line between two permits. */
function drawMarks(limit) {
  if (limit === marked) {
    return;
  }
  marked = limit;
  const lines = [];
  for (let permit = 1; limit !== null && limit <= MOST_MARKS && permit < limit; permit++) {
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    const y = GLASS.bottom - (GLASS.bottom - GLASS.top) * permit / limit;
    for (const [name, value] of Object.entries({x1: 0, x2: 160, y1: y, y2: y})) {
      line.setAttribute(name, value);
    }
    lines.push(line);
  }
  byId('marks').replaceChildren(...lines);
}

function drawTimeline(state, now) {
  state.calls = state.calls.filter(each => now - each.at < MINUTE);
  const canvas = byId('timeline');
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext('2d');
  const style = getComputedStyle(canvas);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const color = name => getComputedStyle(document.querySelector(`.legend .${name}`)).color;
  context.strokeStyle = style.borderColor;
  context.globalAlpha = 0.25;
  context.beginPath();
  context.moveTo(0, height / 2);
  context.lineTo(width, height / 2);
  context.stroke();
  context.globalAlpha = 1;
  const colors = {granted: color('granted'), rejected: color('rejected')};
  for (const {at, outcome} of state.calls) {
    const x = width - 3 - (now - at) / MINUTE * (width - 6);
    context.fillStyle = colors[outcome];
    // Granted above the middle, rejected below, so that colour is not all that tells.
    context.beginPath();
    context.roundRect(x - 2, outcome === 'granted' ? 8 : height / 2 + 4, 4, height / 2 - 12, 2);
    context.fill();
  }
  for (const outcome of ['granted', 'rejected']) {
    setText(outcome, String(state.calls.filter(each => each.outcome === outcome).length));
  }
}

function setText(id, text) {
  const element = byId(id);
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

function choose(next) {
  chosen = next;
  setText('chosen', next.name);
  setText('what', next.what);
  byId('input-label').hidden = !next.input;
  if (next.input) {
    byId('input-label').firstElementChild.textContent = next.input[0];
    byId('input').value = states.get(next.name).value;
  }
}

for (const each of CALLS) {
  const radio = document.createElement('input');
  radio.type = 'radio';
  radio.name = 'call';
  radio.id = `call-${each.name}`;
  radio.checked = each === chosen;
  radio.addEventListener('change', () => choose(each));
  const what = document.createElement('small');
  what.textContent = each.what;
  const label = document.createElement('label');
  label.append(radio, each.name, what);
  byId('calls').append(label);
}

byId('input').addEventListener('input', () => {
  // Another key has permits of its own.
  Object.assign(states.get(chosen.name), {value: byId('input').value, remaining: null, limit: null, nextAt: 0, answer: null});
});
byId('call').addEventListener('click', call);
byId('burst').addEventListener('click', () => {
  for (let i = 0; i < 5; i++) {
    call();
  }
});

let trafficSeconds = 0;

async function traffic(method) {
  try {
    const response = await fetch('/traffic', {method});
    trafficSeconds = (await response.json()).secondsLeft;
  } catch {
    trafficSeconds = 0;
  }
  const on = trafficSeconds > 0;
  byId('traffic').setAttribute('aria-pressed', on);
  setText('traffic', on ? 'Stop traffic' : 'Start traffic');
  setText('traffic-text', on
    ? `Two instances are busy for another ${Math.ceil(trafficSeconds / 60)} min: see the limits search and login in the console.`
    : 'About 70 searches and 8 logins a second, on two instances.');
}

byId('traffic').addEventListener('click', () => traffic(trafficSeconds > 0 ? 'DELETE' : 'POST'));
setInterval(() => traffic('GET'), 5000);

choose(chosen);
traffic('GET');
draw();
