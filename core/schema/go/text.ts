/** Formats values as Go prints them, for messages that clients know; large values are truncated. */

import type { Json } from '../model.ts'
import { quote } from './quote.ts'
import { shorten } from './shorten.ts'

/** Maximum characters of one value. */
const maxText = 4096

interface Style {
  readonly list: string
  readonly map: string
  readonly close: { readonly list: string; readonly map: string }
  readonly separator: string
  readonly null: string
  text(text: string): string
  scalar(value: number | bigint | boolean): string
}

const plain: Style = {
  scalar: String,
  list: '[',
  map: 'map[',
  close: { list: ']', map: ']' },
  separator: ' ',
  null: '<nil>',
  text: (text) => text,
}
const syntax: Style = {
  scalar: String,
  list: '[]interface {}{',
  map: 'map[string]interface {}{',
  close: { list: '}', map: '}' },
  separator: ', ',
  null: 'interface {}(nil)',
  text: quote,
}

const typeOf = (value: number | bigint | boolean) =>
  typeof value === 'boolean' ? 'bool' : typeof value === 'number' && !Number.isInteger(value) ? 'float64' : 'int64'
const string: Style = { ...plain, null: '%!s(<nil>)', scalar: (value) => `%!s(${typeOf(value)}=${value})` }

class Printer {
  text = ''
  readonly #style: Style

  constructor(style: Style) {
    this.#style = style
  }

  value(value: Json | undefined): void {
    const { list, map, close, null: none, scalar } = this.#style
    if (value === null || value === undefined) this.text += none
    else if (typeof value === 'string') this.#word(value)
    else if (typeof value !== 'object') this.text += scalar(value)
    else if (Array.isArray(value)) {
      this.text += list
      this.#each(value, (item) => this.value(item))
      this.text += close.list
    } else {
      this.text += map
      this.#each(Object.keys(value).sort(), (key) => {
        this.#word(key)
        this.text += ':'
        this.value(value[key])
      })
      this.text += close.map
    }
  }

  #word(text: string): void {
    this.text += this.#style.text(shorten(text, maxText))
  }

  #each<T>(items: readonly T[], write: (item: T) => void): void {
    for (let at = 0; at < items.length && this.text.length <= maxText; at++) {
      if (at > 0) this.text += this.#style.separator
      write(items[at] as T)
    }
  }
}

function print(value: Json | undefined, style: Style): string {
  const printer = new Printer(style)
  printer.value(value)
  return shorten(printer.text, maxText)
}

/** As Go's %v: `map[image:nginx name:web]`. */
export const goText = (value: Json | undefined) => print(value, plain)

/** As Go's %s, which complains about what is no text: `map[port:%!s(int64=80)]`. */
export const goString = (value: Json | undefined) => print(value, string)

/** As Go's %#v: `map[string]interface {}{"name":"web"}`. */
export const goSyntax = (value: Json | undefined) => print(value, syntax)
