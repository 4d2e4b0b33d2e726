/** Our regular expressions take linear time on any input. Patterns of users run on re2js. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { backtracks } from '../support/backtracking.ts'
import { regexLiterals } from '../support/regex-literals.ts'
import { root } from '../support/root.ts'

test('the analysis distinguishes linear patterns from others', () => {
  const linear = ['^[a-z]+$', '^a*b*$', '^(?:\\d+\\.)+$', '"[^"]*"', '^(a|ab)c$', '[0-9]+', '^\\s*x', '^[a-z]{2,8}$', '^x(,x)*$']
  const others = ['^(a+)+$', '^a*a*$', '\\s+$', '^(a|a)*$', '^\\d*[1-9]\\d*$', 'iqn\\.([a-z.]+)(:.+)$', '^(a*,?)*$', '^(.*)x(.*)$']
  for (const source of linear) assert.equal(backtracks(source), undefined, source)
  for (const source of others) assert.notEqual(backtracks(source), undefined, source)
})

test('the scanner finds regular expression literals only', () => {
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

/** Patterns that could be slow on long texts, and why their input is short or they can't fail. */
const harmless: { readonly [pattern: string]: string } = {
  '0+$': 'the digits of a number that we print',
  '^([+-]?)0*(\\d*)(\\.\\d*)?([eEinumkKMGTP]*[-+]?\\d*)$': 'a quantity has at most 256 characters',
  '^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\\/\\/([^/?#]*))?([^?#]*)(?:\\?([^#]*))?(?:#.*)?$': 'matches every text',
  '^(?:([^:/?#]+):)?(?:\\/\\/([^/?#]*))?([^?#]*)(.*)$': 'matches every text',
  '(?:[\\t \\r\\n\\f]+|\\/\\/[^\\n]*)+': 'nothing follows that could fail',
  "'(?:[^'\\\\]|\\\\.)*'|[.[\\]]|[^.[\\]]+": 'takes every character, and searches for the closing quote once',
  ':.*$': 'matches at the first colon',
  [String.raw`^(?:[\w ,:;@%=~/<>#&!"'^$.|)*+?-]|\((?:\?:|(?!\?))|\\[dswDSW./+*?^$()|[\]{}\\-]|\[\^?(?:[\w ,:;@%=~/<>#&!"'.+*?$()|-]|\\[.\-/[\]\\])+\]|\{\d{1,3}(?:,\d{0,3})?\})*$`]:
    'sees 500 characters at most',
}
/** Input from operators only: flags, configuration files, function signatures. */
const trusted = [
  /^core\/config\//,
  /^core\/(\w+\/)+file\//,
  /^core\/cel\/functions\.ts$/,
  /^runtimes\/node\/(start\/exit-status|http\/connection)\.ts$/,
]
/** Files that compose patterns from constants and limit their input, and one that parses patterns of users without running them. */
const composed = [
  'core/resources/core/image-name.ts',
  'core/resources/resource/device-validation.ts',
  'core/schema/formats/pattern.ts',
  'core/schema/openapi/formats.ts',
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

test('no pattern is composed at run time, so that this test sees all of them', () => {
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
