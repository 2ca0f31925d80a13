/** Uses the quotas of the sample, and shows what is left of them. */

const STEP_MILLIS = 25;
const SECOND = 1000;

const byId = id => document.getElementById(id);

function element(tag, text) {
  const created = document.createElement(tag);
  created.textContent = text;
  return created;
}

byId('report').addEventListener('click', async () => {
  const customer = encodeURIComponent(byId('customer').value);
  const response = await fetch(`quotas/reports/${customer}?pages=150`, {method: 'POST'});
  const remaining = /r=(\d+);t=(\d+)/.exec(response.headers.get('RateLimit'));
  byId('report-answer').textContent = `${response.status === 429 ? 'rejected' : 'granted'}`
    + (remaining ? `, ${remaining[1]} pages left, and the next period begins in ${Math.ceil(remaining[2] / 3600)} h` : '');
  const warnings = await (await fetch('quotas/warnings')).json();
  if (warnings.length > 0) {
    byId('warnings').replaceChildren(...warnings.map(each => element('li', each)));
  }
});

const answers = {job: [], people: []};

async function exported(who, path) {
  try {
    const {status} = await fetch(path, {method: 'POST'});
    answers[who].push({at: Date.now(), granted: status === 200});
  } catch {
    // The server is unavailable; the next call may succeed.
  }
}

let job;
byId('job').addEventListener('click', () => {
  if (job) {
    clearInterval(job);
    job = undefined;
  } else {
    job = setInterval(() => exported('job', 'quotas/exports/background'), STEP_MILLIS);
  }
  byId('job').setAttribute('aria-pressed', Boolean(job));
});
byId('export').addEventListener('click', () => {
  for (let i = 0; i < 4; i++) {
    exported('people', 'quotas/exports');
  }
});
setInterval(() => {
  for (const who of ['job', 'people']) {
    answers[who] = answers[who].filter(each => Date.now() - each.at < SECOND);
    const granted = answers[who].filter(each => each.granted).length;
    byId(`${who}-granted`).textContent = granted;
    byId(`${who}-rejected`).textContent = answers[who].length - granted;
  }
}, 250);

async function left() {
  const [limit] = await (await fetch('quotas/model/left')).json();
  byId('left').textContent = `${limit.remaining} of ${limit.used + limit.remaining} tokens`;
}

byId('ask').addEventListener('click', async () => {
  const answer = byId('model-answer');
  answer.textContent = '';
  const response = await fetch(`quotas/model?question=${encodeURIComponent(byId('question').value)}`);
  if (response.status === 429) {
    answer.textContent = `rejected; come back in ${response.headers.get('Retry-After')} s`;
    left();
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  left();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    received += part.value;
    answer.textContent = [...received.matchAll(/"text":"([^"]*)"/g)].map(match => match[1]).join('');
  }
  const usage = /"total_tokens":(\d+)/.exec(received);
  answer.textContent += usage ? `(${usage[1]} tokens)` : '';
  // The charge follows the answer.
  setTimeout(left, 200);
});
left();
