/** A table that its heads sort, with pages. */
import {el, setText} from './dom.js';
import {t} from './words.js';

/** Rows at a time. */
const PAGE = 25;

/** So that rows do not jump away below the pointer. */
const SORT_MILLIS = 5000;

/**
 * @param {string} id of the element
 * @param {string} label
 * @param {Array<{id: string, word: string, className?: string, value: (row: object) => string|number, order?: number,
 *   cell: (row: object) => Node|string|Array, shape?: (row: object) => any}>} columns those with an order sort, in that
 *   direction first; a cell is built again if its shape, or else its value, has changed
 * @param {{column: string, order: number, page: number}} chosen is kept from one view to the next
 * @returns {{element: Element, show: (rows: Array<{id: string}>) => void}}
 */
export function sortedTable(id, label, columns, chosen) {
  const known = new Map();
  let rows = [];
  let order = [];
  let sortedAt = 0;
  const heads = columns.map(column => el('th', {scope: 'col', role: 'columnheader', className: column.className || null},
    column.order ? el('button', {type: 'button', onclick: () => sortBy(column)}, t(column.word)) : t(column.word)));
  const body = el('tbody', {role: 'rowgroup'});
  const range = el('span', {className: 'muted small', role: 'status'});
  const turn = (word, by) => el('button', {
    type: 'button', 'aria-label': `${t(word)}: ${label}`,
    onclick: () => {
      chosen.page += by;
      update();
    },
  }, t(word));
  const previous = turn('previous', -1);
  const next = turn('next', 1);
  const pager = el('nav', {className: 'pager', 'aria-label': `${t('pages')}: ${label}`, hidden: true}, previous, range, next);
  const table = el('div', {className: 'table'}, el('table', {role: 'table', 'aria-label': label},
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, heads)), body));
  const element = el('div', {id}, table, pager);

  function sortBy(column) {
    chosen.order = chosen.column === column.id ? -chosen.order : column.order;
    chosen.column = column.id;
    chosen.page = 0;
    sortedAt = 0;
    update();
  }

  function sorted() {
    const {value} = columns.find(each => each.id === chosen.column);
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    return [...rows].sort((one, other) => compare(value(one), value(other)) * chosen.order || compare(one.id, other.id))
      .map(row => row.id);
  }

  function update() {
    columns.forEach((column, index) => {
      if (column.id === chosen.column) {
        heads[index].setAttribute('aria-sort', chosen.order > 0 ? 'ascending' : 'descending');
      } else {
        heads[index].removeAttribute('aria-sort');
      }
    });
    const byId = new Map(rows.map(row => [row.id, row]));
    const busy = table.matches(':hover') || table.contains(document.activeElement);
    if (rows.length !== order.length || order.some(each => !byId.has(each)) || sortedAt === 0
      || !busy && Date.now() - sortedAt > SORT_MILLIS) {
      order = sorted();
      sortedAt = Date.now();
    }
    chosen.page = Math.max(0, Math.min(chosen.page, Math.ceil(order.length / PAGE) - 1));
    const shown = order.slice(chosen.page * PAGE, (chosen.page + 1) * PAGE);
    for (const [each, row] of known) {
      if (!shown.includes(each)) {
        row.element.remove();
        known.delete(each);
      }
    }
    shown.forEach((each, index) => {
      if (!known.has(each)) {
        known.set(each, newRow());
      }
      const row = known.get(each);
      row.update(byId.get(each));
      if (body.children[index] !== row.element) {
        body.insertBefore(row.element, body.children[index] || null);
      }
    });
    pager.hidden = order.length <= PAGE;
    previous.disabled = chosen.page === 0;
    next.disabled = (chosen.page + 1) * PAGE >= order.length;
    setText(range, t('range', chosen.page * PAGE + 1, chosen.page * PAGE + shown.length, order.length));
  }

  function newRow() {
    const shapes = [];
    const cells = columns.map((column, index) => el('td', {
      role: 'cell', className: column.className || null, 'data-head': index === 0 ? null : t(column.word),
    }));
    return {
      element: el('tr', {role: 'row'}, cells),
      update(row) {
        columns.forEach((column, index) => {
          const shape = JSON.stringify((column.shape || column.value)(row));
          if (shape !== shapes[index]) {
            shapes[index] = shape;
            cells[index].replaceChildren(...[column.cell(row)].flat().filter(each => each !== null));
          }
        });
      },
    };
  }

  return {
    element,
    show(newRows) {
      rows = newRows;
      element.hidden = rows.length === 0;
      update();
    },
  };
}
