/** Stops the sample's Redis, and shows what the limit grants during that time. The dashed line is the limit. */

const POLL_MILLIS = 500;
const SECONDS_SHOWN = 46;
const LIMIT = 100;
const TALLEST = 2.1 * LIMIT;

/** The words of the console. The rejection cache repeats rejections by Redis. */
const SOURCES = {
  BACKEND: 'Redis',
  REJECTION_CACHE: 'Redis',
  LOCAL: 'each instance alone',
  POLICY: 'failure policy',
};

const PHASES = {
  BEFORE: 'Redis will be stopped in a few seconds.',
  STOPPED: 'Redis is stopped. Each instance decides alone, so no call waits for Redis.',
  AFTER: 'Redis has started again, and has lost everything.',
  OVER: 'Redis was stopped for 30 s, and was empty when it started again.',
};

const byId = id => document.getElementById(id);
const button = byId('outage');

let timer;

async function ask(method) {
  clearTimeout(timer);
  let running = false;
  try {
    const response = await fetch('outage', {method});
    running = show(await response.json());
  } catch {
    // The server is unavailable; the next call may succeed.
  }
  clearTimeout(timer);
  timer = setTimeout(() => ask('GET'), running ? POLL_MILLIS : 10 * POLL_MILLIS);
}

function show({possible, phase, granted, atMost, decides, longestMillis, seconds, problem}) {
  const running = phase !== 'NONE' && phase !== 'OVER';
  button.disabled = running || !possible;
  if (!possible) {
    byId('outage-text').textContent = 'This instance has not started the Redis that it uses, so it cannot stop it.';
  } else if (phase !== 'NONE') {
    byId('outage-text').textContent = problem || PHASES[phase];
  }
  for (const id of ['outage-figures', 'outage-chart', 'outage-legend']) {
    byId(id).hidden = phase === 'NONE';
  }
  if (phase !== 'NONE') {
    byId('outage-granted').textContent = granted.toLocaleString();
    byId('outage-most').textContent = `at most ${atMost.toLocaleString()}`;
    byId('outage-source').textContent = SOURCES[decides] || '–';
    byId('outage-longest').textContent = `${longestMillis < 10 ? longestMillis.toFixed(1) : Math.round(longestMillis)} ms`;
    draw(seconds);
  }
  return running;
}

function draw(seconds) {
  const canvas = byId('outage-chart');
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const color = name => getComputedStyle(document.querySelector(`#outage-legend .${name}`)).color;
  const [byRedis, alone] = [color('granted'), color('alone')];
  const step = width / Math.max(SECONDS_SHOWN, seconds.length);
  seconds.forEach((second, i) => {
    let y = height;
    for (const [permits, fill] of [[second.byRedis, byRedis], [second.byInstances, alone]]) {
      const bar = Math.min(1, permits / TALLEST) * height;
      y -= bar;
      context.fillStyle = fill;
      context.fillRect(i * step + 1, y, step - 2, bar);
    }
  });
  context.strokeStyle = getComputedStyle(canvas).color;
  context.setLineDash([4, 4]);
  context.beginPath();
  context.moveTo(0, height - LIMIT / TALLEST * height);
  context.lineTo(width, height - LIMIT / TALLEST * height);
  context.stroke();
}

button.addEventListener('click', () => ask('POST'));
ask('GET');
