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
