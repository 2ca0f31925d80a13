/** Calls of the console's server. */

export class ApiError extends Error {
  constructor(status, problem, current) {
    super(problem);
    this.status = status;
    this.current = current;
  }
}

/** The version of what this page and the server send each other. Java twin: Wire.PROTOCOL. */
const PROTOCOL = 1;

/** In place of a status: the server has another version. */
export const OTHER_PROTOCOL = -1;

let token = null;

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(`api/${path}`, {cache: 'no-store', credentials: 'same-origin', redirect: 'manual', ...options});
  } catch {
    throw new ApiError(0, '', null);
  }
  const isJson = (response.headers.get('Content-Type') || '').includes('json');
  const body = isJson ? await response.json() : {};
  if (!response.ok) {
    throw new ApiError(response.status, body.detail || '', body.current || null);
  }
  return body;
}

/** Who calls, and whether they may write. */
export const session = () => call('session');

/** A page of changes below a version; 0 for the newest. */
export const history = (before, most) => call(`history?before=${before}&most=${most}`);

/** The live limits of the keys of a limit, or of all, that contain a text, those that were changed last. */
export const keys = (name, search) => call(`keys?${new URLSearchParams({...name === null ? {} : {name}, search})}`);

/** What is known of one key of a limit. */
export const key = (prefix, name, {value, hashed}) => call(`key?${new URLSearchParams({prefix, name, key: value, hashed})}`);

/** The CSRF token of the application, only before a change: it may create a session. */
async function newToken() {
  token = (await call('csrf')).csrf;
  return token && token.token;
}

function cookieToken() {
  const cookie = document.cookie.match(/(?:^|; )XSRF-TOKEN=([^;]+)/);
  return cookie && decodeURIComponent(cookie[1]);
}

async function write(path, body) {
  let csrf = token ? token.token : await newToken();
  // The token goes with the session, which may be a new one. What csrf.spa() of Spring Security wants is the cookie's.
  for (const next of [newToken, cookieToken, () => null]) {
    try {
      return await call(path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Limiter-Console': String(PROTOCOL),
          ...(token ? {[token.header]: csrf} : {}),
        },
        body: JSON.stringify(body),
      });
    } catch (error) {
      csrf = error.status === 403 && token && await next();
      if (!csrf) {
        throw error;
      }
    }
  }
}

export const put = change => write('limits', change);
export const remove = change => write('limits/remove', change);
export const reset = of => write('keys/reset', of);
export const rollBack = change => write('limits/roll-back', change);

/** Milliseconds without a message after which the connection counts as lost. */
const SILENCE = 5000;
const RETRY = 2000;

/**
 * Follows the fleet, and connects again whenever the connection is lost. Stops if the server has another version of the protocol.
 *
 * @param {(fleet: object) => void} onFleet with each message
 * @param {(status: number, full?: boolean) => void} onLost with the HTTP status, 0 if there is no answer or
 *     {@link OTHER_PROTOCOL}, and whether too many pages are open
 */
export function follow(onFleet, onLost) {
  let source = null;
  let watchdog = 0;

  function open() {
    source = new EventSource('api/fleet');
    source.addEventListener('fleet', event => {
      wait();
      const fleet = JSON.parse(event.data);
      if (fleet.protocol === PROTOCOL) {
        onFleet(fleet);
      } else {
        clearTimeout(watchdog);
        source.close();
        onLost(OTHER_PROTOCOL);
      }
    });
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) {
        again();
      } else {
        onLost(0);
      }
    });
    wait();
  }

  function wait() {
    clearTimeout(watchdog);
    watchdog = setTimeout(again, SILENCE);
  }

  async function again() {
    clearTimeout(watchdog);
    source.close();
    let status = 0;
    let full = false;
    try {
      full = (await session()).full;
    } catch (error) {
      status = error.status;
    }
    onLost(status, full);
    watchdog = setTimeout(open, RETRY);
  }

  open();
}
