/** Calls of three tenants, which flood a limit where that is switched on. */

const TENANTS = [
  {name: 'acme', plan: 'free', rate: 2},
  {name: 'globex', plan: 'pro', rate: 10},
  {name: 'initech', plan: 'enterprise', rate: 50},
];

const STEP_MILLIS = 50;
const SECOND = 1000;

/** The answers of the last second: when, and whether they granted. */
const answers = new Map(TENANTS.map(({name}) => [name, []]));
const floods = new Set();

function element(tag, attributes, ...children) {
  const created = Object.assign(document.createElement(tag), attributes);
  created.append(...children);
  return created;
}

async function call(name) {
  try {
    const {status} = await fetch(`tenants/${name}`);
    if (status === 200 || status === 429) {
      answers.get(name).push({at: Date.now(), granted: status === 200});
    }
  } catch {
    // The server is unavailable; the next call may succeed.
  }
}

function row({name, plan, rate}) {
  const flood = element('button', {
    type: 'button', id: `flood-${name}`,
    onclick: () => {
      if (!floods.delete(name)) {
        floods.add(name);
      }
      flood.setAttribute('aria-pressed', floods.has(name));
    },
  }, 'Flood');
  flood.setAttribute('aria-pressed', false);
  flood.setAttribute('aria-label', `Flood: ${name}`);
  const link = element('a', {href: `limiter/#/key/${encodeURIComponent('rateLimit:')}/tenant.${plan}/${name}`}, 'See it');
  link.setAttribute('aria-label', `See it: ${name}`);
  return element('tr', {}, element('td', {}, name), element('td', {}, `${plan}, ${rate}/s`),
    element('td', {className: 'granted', id: `granted-${name}`}, '0'), element('td', {className: 'rejected', id: `rejected-${name}`}, '0'),
    element('td', {}, flood), element('td', {}, link));
}

document.getElementById('tenants').append(...TENANTS.map(row));

setInterval(() => floods.forEach(call), STEP_MILLIS);

setInterval(() => {
  for (const [name, all] of answers) {
    const last = all.filter(each => Date.now() - each.at < SECOND);
    answers.set(name, last);
    const granted = last.filter(each => each.granted).length;
    document.getElementById(`granted-${name}`).textContent = granted;
    document.getElementById(`rejected-${name}`).textContent = last.length - granted;
  }
}, 250);
