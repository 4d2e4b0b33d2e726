/** Truncates clients' texts and values in errors and warnings, so that messages stay short however large the request is. */

import { printJson } from '../json/text.ts'
import type { Json } from '../model.ts'
import { spelledText } from './spelled-number.ts'

const ellipsis = '…'

/** The text, or its first `limit` UTF-16 units and an ellipsis; never splits a surrogate pair. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, isHalf ? limit - 1 : limit) + ellipsis
}

/** `JSON.stringify(value)`, truncated after about `limit` characters. */
export function shortJson(value: Json, limit: number): string {
  const writer = new Writer(limit)
  writer.value(value)
  return shorten(writer.text, limit)
}

/** The texts separated by commas, truncated after about `limit` characters. */
export function shortList(texts: readonly string[], limit: number, each: (text: string) => string): string {
  let list = ''
  for (const text of texts) {
    if (list.length > limit) break
    list += `${list === '' ? '' : ', '}${each(shorten(text, limit))}`
  }
  return shorten(list, limit)
}

class Writer {
  text = ''
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get #full(): boolean {
    return this.text.length > this.#limit
  }

  value(value: Json): void {
    if (typeof value === 'string') this.text += JSON.stringify(shorten(value, this.#limit))
    else if (typeof value !== 'object' || value === null) this.text += spelledText(value) ?? printJson(value)
    else if (Array.isArray(value)) this.#list(value)
    else this.#object(value)
  }

  #list(items: readonly Json[]): void {
    this.text += '['
    for (let at = 0; at < items.length && !this.#full; at++) {
      if (at > 0) this.text += ','
      this.value(items[at] ?? null)
    }
    this.text += ']'
  }

  #object(object: { readonly [key: string]: Json | undefined }): void {
    let separator = '{'
    for (const key of Object.keys(object)) {
      if (this.#full) break
      const member = object[key]
      if (member === undefined) continue
      this.text += `${separator}${JSON.stringify(shorten(key, this.#limit))}:`
      this.value(member)
      separator = ','
    }
    this.text += separator === '{' ? '{}' : '}'
  }
}
