import type { Yaml } from './value.ts';

/**
 * What an unquoted word means. GitLab reads with Ruby's Psych, which is neither YAML 1.1 nor 1.2: `yes` and `on` are true but
 * `y` is text, `017` is 15, `1:30` is 5400, `1e3` is text, `1.10` comes out as `1.1`, and `:script` is Ruby's symbol of the text
 * `script`. Dates, which GitLab refuses, stay text.
 */
export function resolvePlain(text: string): Yaml {
  if (text === '' || /^(?:~|null)$/i.test(text)) return null;
  if (/^(?:yes|true|on)$/i.test(text)) return true;
  if (/^(?:no|false|off)$/i.test(text)) return false;
  if (SYMBOL.test(text)) return symbolText(text);
  if (!/^[-+.0-9]/.test(text)) return text;
  return resolveNumber(text) ?? text;
}

/** What folds into more than one line is text whatever it begins with. */
const SYMBOL = /^:[^\n]+$/;

/** GitLab takes a symbol wherever it takes text, so that its name is all that is left of it. */
function symbolText(text: string): string {
  const [, , quoted] = /^:(["'])(.*)\1/.exec(text) ?? [];
  return quoted === undefined ? text.slice(1) : quoted.replace(/^:/, '');
}

const INTEGER =
  /^(?:[-+]?0b[01_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][+-][0-9]+)?$/;
const SIXTIES = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(\.[0-9_]*)?$/;

function resolveNumber(text: string): Yaml | undefined {
  if (INTEGER.test(text)) return integer(text.replace(/[,_]/g, ''));
  if (/^[-+]?\.inf$/i.test(text)) return { decimal: text.startsWith('-') ? '-Infinity' : 'Infinity' };
  if (/^\.nan$/i.test(text)) return { decimal: 'NaN' };
  const sixties = SIXTIES.exec(text);
  if (sixties) return sixties[1] === undefined ? inSixties(text) : { decimal: rubyFloat(inSixties(text)) };
  if (text !== '.' && FLOAT.test(text) && /[0-9]/.test(text))
    return { decimal: rubyFloat(Number(text.replace(/[,_]/g, ''))) };
  return undefined;
}

function integer(digits: string): Yaml {
  const sign = digits.startsWith('-') ? -1n : 1n;
  const magnitude = digits.replace(/^[-+]/, '').replace(/^0+(?=[0-7]*$)(?=.)/, '0o');
  const value = sign * BigInt(magnitude === '0o' ? '0' : magnitude);
  const number = Number(value);
  if (!Number.isSafeInteger(number)) return { decimal: String(value) };
  return number === 0 ? 0 : number; // not minus nought
}

/** Hours, minutes and seconds, also where there are only two parts. */
function inSixties(text: string): number {
  const parts = text.replace(/[-+_]/g, '').split(':').map(Number);
  const total = parts.reduce((sum, part, index) => sum + part * 60 ** (2 - index), 0);
  return text.startsWith('-') ? -total : total;
}

/** As Ruby's `Float#to_s` has it: always with a point, an exponent from 1e16 on and under 1e-4. */
function rubyFloat(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    const power = exponent.replace(/^([-+])(\d)$/, '$10$2');
    return `${digits.includes('.') ? digits : `${digits}.0`}e${power}`;
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}
