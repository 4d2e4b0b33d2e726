/** Diagnostic notation of CBOR (RFC 8949 section 8), in which errors show a body. */

import { decodeUtf8 } from '../formats/utf8.ts'
import { goFloat } from '../go/number.ts'
import { HeadReader, indefinite, major } from './head.ts'

const words: { readonly [info: number]: string } = { 20: 'false', 21: 'true', 22: 'null', 23: 'undefined' }

const escaped = (text: string, mark: string) => {
  const inner = JSON.stringify(text).slice(1, -1)
  return mark === '"' ? `"${inner}"` : `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A string; bytes that are no text in hexadecimal. */
function shown(bytes: Uint8Array, mark: string): string {
  const text = decodeUtf8(bytes)
  return text === undefined ? `h'${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}'` : escaped(text, mark)
}

class Notation {
  readonly #reader: HeadReader
  readonly #max: number
  text = ''

  constructor(bytes: Uint8Array, max: number) {
    this.#reader = new HeadReader(bytes)
    this.#max = max
  }

  get isFull(): boolean {
    return this.text.length >= this.#max
  }

  item(): void {
    const reader = this.#reader
    if (this.isFull) return
    reader.read()
    let tags = ''
    for (; reader.type === major.tag; reader.read()) {
      this.text += `${this.#whole()}(`
      tags += ')'
    }
    const { type } = reader
    if (type === major.bytes || type === major.text) this.text += this.#string(type === major.text ? '"' : "'")
    else if (type === major.array) this.#items('[', ']', () => this.item())
    else if (type === major.map) this.#items('{', '}', () => this.#member())
    else if (type === major.simple)
      this.text += reader.info > 24 ? goFloat(reader.float) : (words[reader.argument] ?? `simple(${reader.argument})`)
    else this.text += type === major.unsigned ? this.#whole() : String(-1n - BigInt(this.#whole()))
    this.text += tags
  }

  #whole(): string {
    return String(this.#reader.info === 27 ? this.#reader.exact : this.#reader.argument)
  }

  #string(mark: string): string {
    const reader = this.#reader
    const take = () => {
      reader.at += reader.argument
      return shown(reader.bytes.subarray(reader.at - reader.argument, reader.at), mark)
    }
    if (reader.info !== indefinite) return take()
    const chunks: string[] = []
    for (; !reader.atBreak; chunks.push(take())) reader.read()
    reader.at++
    return `(_ ${chunks.join(', ')})`
  }

  #member(): void {
    this.item()
    this.text += ': '
    this.item()
  }

  #items(open: string, close: string, one: () => void): void {
    const reader = this.#reader
    const [isOpen, count] = [reader.info === indefinite, reader.argument]
    this.text += isOpen ? `${open}_ ` : open
    for (let index = 0; !this.isFull && (isOpen ? !reader.atBreak : index < count); index++) {
      if (index > 0) this.text += ', '
      one()
    }
    if (isOpen && !this.isFull) reader.at++
    this.text += close
  }
}

/** An item that was decoded, which bounds its depth; at most about `max` characters of it. */
export function diagnose(bytes: Uint8Array, max: number): string {
  const notation = new Notation(bytes, max)
  notation.item()
  return notation.text
}
