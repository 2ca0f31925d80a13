/** The big chart of one limit, by Chart.js. */
import {rate} from './format.js';
import {POINTS} from './state.js';
import {t} from './words.js';

const MARK_ROWS = 4;
const MARK_HEIGHT = 16;

/** @param {HTMLCanvasElement} canvas */
export function graph(canvas) {
  const color = name => {
    // light-dark() is resolved by the browser only in a property of an element.
    canvas.style.color = `var(--${name})`;
    const value = getComputedStyle(canvas).color;
    canvas.style.color = '';
    return value;
  };
  let marks = [];
  /** The first row whose labels begin after a new one ends; those beyond the last row have none. */
  const rowFor = (starts, to) => {
    const row = starts.findIndex(start => start > to);
    return row >= 0 ? row : starts.length < MARK_ROWS ? starts.length : -1;
  };
  const line = {borderWidth: 2, pointRadius: 0, pointHitRadius: 8, tension: 0.25, data: []};
  const changes = {
    id: 'changes',
    afterDatasetsDraw(chart) {
      const {ctx, chartArea: area, scales: {x}} = chart;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = color('accent');
      ctx.setLineDash([4, 3]);
      ctx.font = '12px ' + window.Chart.defaults.font.family;
      const labels = [];
      const starts = [];
      // The newest first: if there is no room for all, theirs count.
      for (const mark of [...marks].sort((one, other) => other.at - one.at)) {
        const at = x.getPixelForValue(mark.at);
        if (at >= area.left && at <= area.right) {
          ctx.beginPath();
          ctx.moveTo(at, area.top);
          ctx.lineTo(at, area.bottom);
          ctx.stroke();
          const {width} = ctx.measureText(mark.text);
          const from = Math.max(area.left, Math.min(at + 5, area.right - width - 3));
          const row = rowFor(starts, from + width);
          if (row >= 0) {
            starts[row] = from - 5;
            labels.push({text: mark.text, from, width, top: area.top + row * MARK_HEIGHT});
          }
        }
      }
      for (const {text, from, width, top} of labels) {
        ctx.fillStyle = color('surface');
        ctx.fillRect(from - 2, top, width + 4, MARK_HEIGHT - 2);
        ctx.fillStyle = color('accent');
        ctx.fillText(text, from, top + 11);
      }
      ctx.restore();
    },
  };
  const chart = new window.Chart(canvas, {
    type: 'line',
    data: {datasets: [{...line, fill: true}, {...line}]},
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: {mode: 'index', intersect: false},
      scales: {
        x: {type: 'linear', min: -POINTS, max: 0, grid: {display: false},
          ticks: {stepSize: 120, maxRotation: 0,
            callback: value => value === 0 ? t('now') : value % 120 === 0 ? t('minutesAgo', -value / 60) : ''}},
        y: {beginAtZero: true, suggestedMax: 1, border: {display: false}, ticks: {maxTicksLimit: 5, precision: 0}},
      },
      plugins: {
        legend: {display: false},
        tooltip: {callbacks: {
          title: items => items[0].parsed.x === 0 ? t('now') : t('secondsAgo', -items[0].parsed.x),
          label: item => ` ${item.dataset.label}: ${rate(item.parsed.y)}`,
        }},
      },
    },
    plugins: [changes],
  });

  function paint() {
    const [granted, rejected] = chart.data.datasets;
    granted.label = t('granted');
    rejected.label = t('rejected');
    granted.borderColor = granted.pointBackgroundColor = color('granted');
    granted.backgroundColor = color('granted').replace('rgb(', 'rgba(').replace(')', ', .09)');
    rejected.borderColor = rejected.pointBackgroundColor = color('rejected');
    const {x, y} = chart.options.scales;
    x.ticks.color = y.ticks.color = color('muted');
    y.grid = {color: color('line')};
  }

  paint();
  return {
    paint,
    /** @param newMarks times of changes, in seconds before now, and their text */
    draw(series, newMarks) {
      marks = newMarks;
      const points = values => values.map((value, index) => ({x: index - values.length + 1, y: value}));
      chart.data.datasets[0].data = points(series.granted);
      chart.data.datasets[1].data = points(series.rejected);
      chart.update('none');
    },
    close: () => chart.destroy(),
  };
}
