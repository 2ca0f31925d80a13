/** Dialogs and short messages. */
import {el} from './dom.js';
import {t} from './words.js';

const TOAST_MILLIS = 8000;

/**
 * Asks before something is done.
 *
 * @param {string} title
 * @param {Array<Node>} content
 * @param {Array<{text: string, more?: string, primary?: boolean, id: string, check?: () => boolean,
 *   run: () => void}>} choices one whose check fails leaves the dialog open
 * @param {string|null} warning must be confirmed before a choice can be made
 */
export function ask(title, content, choices, warning = null) {
  const button = choice => el('button', {
    type: 'button', id: choice.id, className: choice.primary ? 'primary' : null, disabled: warning !== null,
    onclick: () => {
      if (choice.check && !choice.check()) {
        return;
      }
      dialog.close();
      choice.run();
    },
  }, choice.text, choice.more ? el('small', {}, choice.more) : null);
  const buttons = choices.map(button);
  const sure = warning === null ? null : el('div', {className: 'warning'},
    el('p', {id: 'warning'}, warning),
    el('label', {}, el('input', {
      type: 'checkbox', id: 'sure', 'aria-describedby': 'warning',
      onchange: event => buttons.forEach(each => {
        each.disabled = !event.target.checked;
      }),
    }), ' ', t('sure')));
  const tall = choices.some(choice => choice.more);
  const cancel = el('button', {type: 'button', className: 'quiet', onclick: () => dialog.close()},
    choices.length > 0 ? t('cancel') : t('close'));
  const dialog = el('dialog', {'aria-labelledby': 'dialog-title', onclose: () => dialog.remove()},
    el('h2', {id: 'dialog-title'}, title),
    content,
    sure,
    tall
      ? [el('div', {className: 'choices'}, buttons), el('div', {className: 'actions'}, cancel)]
      : el('div', {className: 'actions'}, cancel, buttons));
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {{text: string, run: () => void}|null} action */
export function toast(text, {failed = false, action = null} = {}) {
  const element = el('div', {className: failed ? 'toast failed' : 'toast'},
    el('span', {}, text),
    action ? el('button', {
      type: 'button',
      onclick: () => {
        element.remove();
        action.run();
      },
    }, action.text) : null);
  const toasts = document.getElementById('toasts');
  toasts.replaceChildren(element);
  setTimeout(() => element.remove(), TOAST_MILLIS);
}
