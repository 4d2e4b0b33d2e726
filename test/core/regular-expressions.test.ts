/** No regular expression of ours takes more than linear time, whatever it is given; those of users run on re2js. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { backtracks } from '../support/backtracking.ts'
import { regexLiterals } from '../support/regex-literals.ts'
import { root } from '../support/root.ts'

test('the analysis tells linear patterns from others', () => {
  const linear = ['^[a-z]+$', '^a*b*$', '^(?:\\d+\\.)+$', '"[^"]*"', '^(a|ab)c$', '[0-9]+', '^\\s*x', '^[a-z]{2,8}$', '^x(,x)*$']
  const others = ['^(a+)+$', '^a*a*$', '\\s+$', '^(a|a)*$', '^\\d*[1-9]\\d*$', 'iqn\\.([a-z.]+)(:.+)$', '^(a*,?)*$', '^(.*)x(.*)$']
  for (const source of linear) assert.equal(backtracks(source), undefined, source)
  for (const source of others) assert.notEqual(backtracks(source), undefined, source)
})

test('the scanner finds literals, and nothing else', () => {
  const lines = ['const a = b / c / d // /no/', 'const e = /yes[/]/g, f = `$' + '{/two/.test(x) ? `/no/` : "/no/"}`', 'return /three/i']
  const text = lines.join('\n')
  assert.deepEqual(
    regexLiterals(text).map(({ line, source, flags }) => [line, source, flags]),
    [
      [2, 'yes[/]', 'g'],
      [2, 'two', ''],
      [3, 'three', 'i'],
    ],
  )
})

/** Patterns that would be slow on long texts, and why they never see one or never fail. */
const harmless: { readonly [pattern: string]: string } = {
  '0+$': 'the digits of a number of ours',
  '^([+-]?)0*(\\d*)(\\.\\d*)?([eEinumkKMGTP]*[-+]?\\d*)$': 'a quantity has at most 256 characters',
  '^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\\/\\/([^/?#]*))?([^?#]*)(?:\\?([^#]*))?(?:#.*)?$': 'matches every text',
  '(?:[\\t \\r\\n\\f]+|\\/\\/[^\\n]*)+': 'nothing follows that could fail',
  "'(?:[^'\\\\]|\\\\.)*'|[.[\\]]|[^.[\\]]+": 'takes every character, and looks for the end of a text once',
  ':.*$': 'matches at the first colon',
  [String.raw`^(?:[\w ,:;@%=~/<>#&!"'^$.|)*+?-]|\((?:\?:|(?!\?))|\\[dswDSW./+*?^$()|[\]{}\\-]|\[\^?(?:[\w ,:;@%=~/<>#&!"'.+*?$()|-]|\\[.\-/[\]\\])+\]|\{\d{1,3}(?:,\d{0,3})?\})*$`]:
    'sees 500 characters at most',
}
/** What only those who run the server write: flags, files, signatures of functions. */
const trusted = [/^core\/config\//, /^core\/cel\/functions\.ts$/, /^runtimes\/node\/(main|http\/connection)\.ts$/]
/** Files that put patterns together from constants, and cut the texts that these see; and one that parses patterns of users, and runs none. */
const composed = [
  'core/resources/core/image-name.ts',
  'core/resources/resource/device-validation.ts',
  'core/schema/openapi-formats.ts',
  'core/schema/pattern.ts',
  'runtimes/stores/log/names.ts',
]

const sources = ['core', 'runtimes'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path)),
)

test('no literal backtracks', () => {
  const faults: string[] = []
  for (const path of sources) {
    if (trusted.some((each) => each.test(path))) continue
    for (const { line, source, flags } of regexLiterals(readFileSync(join(root, path), 'utf8'))) {
      const fault = Object.hasOwn(harmless, source) ? undefined : judge(source, flags)
      if (fault) faults.push(`${path}:${line}: /${source}/: ${fault}`)
    }
  }
  assert.deepEqual(faults, [])
})

test('none is put together at run time, so that all are seen here', () => {
  const made = sources.filter((path) => /\bRegExp\(/.test(readFileSync(join(root, path), 'utf8')))
  assert.deepEqual(made.sort(), composed)
})

function judge(source: string, flags: string): string | undefined {
  try {
    return backtracks(source, flags)
  } catch (error) {
    return `not understood: ${(error as Error).message}`
  }
}
