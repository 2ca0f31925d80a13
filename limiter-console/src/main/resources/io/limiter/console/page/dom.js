/** Elements. All text goes through textContent, so that no name, key or reason is ever read as HTML. */

/**
 * Creates an element: attributes beginning with "on" are listeners, null and false ones are left out, and children are
 * elements or text.
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'className') {
      element.setAttribute('class', value);
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text of others with marks for what cannot be seen: "\u202Enna" would read as "ann". */
export function visible(text) {
  return text.replace(HIDDEN, character => {
    const code = character.codePointAt(0);
    return code < 0x20 ? String.fromCodePoint(0x2400 + code)
      : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** A text of others within a sentence, whose direction changes nothing around it. */
export function isolated(text) {
  const shown = visible(text);
  return /^[\x20-\x7e]*$/.test(shown) ? shown : `\u2068${shown}\u2069`;
}

/** An element for a text of others: names, reasons, users, keys. */
export function named(text) {
  return el('bdi', {}, visible(text));
}

/** Writes only what has changed, so that screen readers and selections are left alone. */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Width in percent, by the style object, which the Content-Security-Policy allows. */
export function setWidth(element, share) {
  element.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
}
