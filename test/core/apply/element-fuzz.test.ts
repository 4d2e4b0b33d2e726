/** Path elements of random content: the texts, their order and the short cuts for plain texts, beside a model of the content. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  compareElements,
  fieldElement,
  keyElement,
  nameOf,
  readElement,
  shown,
  sortByElement,
  valueElement,
} from '../../../core/apply/element.ts'
import { randomNumbers } from '../../support/random.ts'
import { progress, trials } from '../../support/soak.ts'

type Scalar = string | number | boolean | null
type Model =
  | { readonly kind: 'f'; readonly name: string }
  | { readonly kind: 'k'; readonly fields: readonly (readonly [name: string, value: Scalar])[] }
  | { readonly kind: 'v'; readonly value: Scalar }
  | { readonly kind: 'i'; readonly index: number }

const random = randomNumbers(4_711)
const { chance, integer, pick } = random
// Decoded text has no lone surrogates.
const letters = [
  'a',
  'b',
  'Z',
  '0',
  '-',
  '.',
  '/',
  ':',
  ' ',
  '_',
  '"',
  '\\',
  '<',
  '&',
  '>',
  '\u2028',
  'é',
  '😀',
  '\u0001',
  '{',
  '}',
  ',',
  '":"',
]
const text = () => Array.from({ length: integer(4) }, () => pick(letters)).join('')
const scalar = (): Scalar =>
  pick<() => Scalar>([text, text, () => integer(3), () => -integer(20) / 4, () => 2 ** 40 + integer(2), () => chance(0.5), () => null])()

function model(): Model {
  const kind = pick(['f', 'k', 'k', 'v', 'i'] as const)
  if (kind === 'f') return { kind, name: text() }
  if (kind === 'i') return { kind, index: integer(12) }
  if (kind === 'v') return { kind, value: scalar() }
  const names = new Set(Array.from({ length: 1 + integer(3) }, () => (chance(0.7) ? pick(['name', 'port', 'protocol']) : `n${text()}`)))
  return { kind, fields: [...names].map((name) => [name, scalar()] as const) }
}

function elementOf(each: Model): string {
  if (each.kind === 'f') return fieldElement(each.name)
  if (each.kind === 'k') return keyElement(each.fields)
  return each.kind === 'v' ? valueElement(each.value) : `i:${each.index}`
}

const order = <T>(a: T, b: T) => (a === b ? 0 : a < b ? -1 : 1)
const types = ['number', 'string', 'boolean', 'object']
const compareScalars = (a: Scalar, b: Scalar) =>
  typeof a === typeof b ? order(a as string, b as string) : types.indexOf(typeof a) - types.indexOf(typeof b)
const sorted = (fields: (Model & { kind: 'k' })['fields']) => fields.toSorted(([a], [b]) => order(a, b))

/** Order of the content: field names, keys, values, indexes. */
function compareModels(a: Model, b: Model): number {
  if (a.kind === 'f' && b.kind === 'f') return order(a.name, b.name)
  if (a.kind === 'v' && b.kind === 'v') return compareScalars(a.value, b.value)
  if (a.kind === 'i' && b.kind === 'i') return a.index - b.index
  if (a.kind !== 'k' || b.kind !== 'k') return 'fkvi'.indexOf(a.kind) - 'fkvi'.indexOf(b.kind)
  const [left, right] = [sorted(a.fields), sorted(b.fields)]
  for (const [at, [name, value]] of left.entries()) {
    const other = right[at]
    if (other === undefined) return 1
    const found = order(name, other[0]) || compareScalars(value, other[1])
    if (found !== 0) return found
  }
  return left.length - right.length
}

const rounds = trials(3_000, 3_000_000)

test('texts and order of random elements', () => {
  const said = progress('elements', rounds)
  for (let round = 0; round < rounds; round++) {
    const models = Array.from({ length: 2 + integer(5) }, model)
    const elements = models.map(elementOf)
    for (const [at, element] of elements.entries()) {
      assert.equal(readElement(element), element, 'the text that is written is the one that is read')
      assert.doesNotThrow(() => shown(element))
      const each = models[at] as Model
      assert.equal(nameOf(element), each.kind === 'f' ? each.name : undefined)
      if (each.kind === 'k') assert.equal(keyElement(each.fields.toReversed()), element, 'whatever the order of the fields')
    }
    const [one, other] = [models[0] as Model, models[1] as Model]
    const [a, b] = [elements[0] as string, elements[1] as string]
    const expected = Math.sign(compareModels(one, other))
    assert.equal(Math.sign(compareElements(a, b)), expected, `${a} and ${b}`)
    assert.equal(Math.sign(compareElements(b, a)), expected === 0 ? 0 : -expected, `${b} and ${a}`)
    assert.equal(a === b, expected === 0, `${a} and ${b}`)
    const found = sortByElement(elements.map((element) => ({ element }))).map(({ element }) => element)
    assert.deepEqual(found, models.toSorted(compareModels).map(elementOf))
    said(round + 1)
  }
})

test('texts that another server or a client wrote', () => {
  const said = progress('texts', rounds)
  const spaced = (json: string) => json.replace(/[{}:,]/g, (mark) => (chance(0.2) ? ` ${mark} ` : mark))
  for (let round = 0; round < rounds; round++) {
    const element = elementOf(model())
    const place = integer(element.length + 1)
    const given = chance(0.3)
      ? element.slice(0, 2) + spaced(element.slice(2))
      : element.slice(0, place) + text() + element.slice(place + integer(3))
    if (/\p{Surrogate}/u.test(given)) continue
    let read: string | undefined
    try {
      read = readElement(given)
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof TypeError || error instanceof RangeError), `${given}: ${error}`)
      continue
    }
    if (read !== undefined) assert.equal(readElement(read), read, `${given} is read in one form`)
    said(round + 1)
  }
})
