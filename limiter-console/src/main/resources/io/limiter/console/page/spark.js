/** A small line of granted and rejected requests per second. */
import {svg} from './dom.js';

const WIDTH = 120;
const HEIGHT = 32;

export function spark() {
  const area = svg('path', {className: 'a'});
  const granted = svg('path', {className: 'g'});
  const rejected = svg('path', {className: 'r'});
  const element = svg('svg', {
    className: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
  }, area, granted, rejected);

  return {
    element,
    draw(series, points, label) {
      const most = Math.max(1e-9, ...series.granted, ...series.rejected);
      granted.setAttribute('d', path(series.granted, points, most));
      rejected.setAttribute('d', series.rejected.some(value => value > 0) ? path(series.rejected, points, most) : '');
      area.setAttribute('d', filled(series.granted, points, most));
      element.setAttribute('aria-label', label);
    },
  };
}

function path(values, points, most) {
  return values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index, values, points)} ${y(value, most)}`).join('');
}

function filled(values, points, most) {
  return values.length < 2 ? ''
    : `${path(values, points, most)}L${WIDTH} ${HEIGHT}L${x(0, values, points)} ${HEIGHT}Z`;
}

function x(index, values, points) {
  return ((points - values.length + index) / (points - 1) * WIDTH).toFixed(1);
}

function y(value, most) {
  return (HEIGHT - 1.5 - value / most * (HEIGHT - 4)).toFixed(1);
}
