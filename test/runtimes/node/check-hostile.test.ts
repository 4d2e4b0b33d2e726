/** `apiserver check` of input that nobody wrote as manifests: each ends with a message or a verdict, soon. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { check } from '../../../runtimes/node/check/index.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const { path } = temporaryDirectory('check')
const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n'

/** What the check prints, or its one-line error, without the directory. */
async function said(name: string): Promise<string> {
  let text = ''
  try {
    const code = await check([join(path, name), '--unexercised'], 'apiserver', (part) => {
      text += part
    })
    assert.equal(code, 1)
  } catch (error) {
    assert.equal((error as Error).name, 'FlagError', (error as Error).stack)
    text = (error as Error).message
  }
  return text.replaceAll(`${path}/`, '').split('\n')[0] as string
}

const aliases = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`)}]\n`).join('')

const files: readonly (readonly [what: string, content: string | Uint8Array, message: string])[] = [
  ['brackets', `${head}data: ${'['.repeat(100_000)}`, 'yaml: line 4: exceeded max depth'],
  ['indentation', Array.from({ length: 1000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), 'exceeded max depth'],
  ['dashes', '- '.repeat(50_000), 'yaml: exceeded max depth'],
  ['json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'yaml: exceeded max depth'],
  ['aliases', `${head}a0: &a0 [x,x,x]\n${aliases}`, 'yaml: document contains excessive aliasing'],
  ['itself', `${head}data: &a {b: *a}\n`, "yaml: anchor 'a' value contains itself"],
  ['bytes', Uint8Array.from({ length: 1000 }, (_, at) => at), 'yaml: control characters are not allowed'],
  ['zeros', new Uint8Array(1000), 'yaml: control characters are not allowed'],
  ['long', `${head}data: {a: ${'x'.repeat(4_000_000)}}\n`, 'ConfigMap x: Request entity too large: limit is 3145728'],
  ['version', '{apiVersion: ../../version, kind: A, metadata: {name: x}}', 'A x: no matches for kind "A" in version "../../version"'],
  ['prototype', '{apiVersion: constructor, kind: toString}', 'toString : no matches for kind "toString" in version "constructor"'],
  [
    'names',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: {a: b}, namespace: [a]}}',
    'cannot be handled as a ConfigMap: json: cannot unmarshal object into Go struct field ObjectMeta.metadata.name of type string',
  ],
  ['metadata', '{apiVersion: v1, kind: ConfigMap, metadata: [1]}', 'cannot be handled as a ConfigMap: json: cannot unmarshal array'],
  ['items', '{apiVersion: v1, kind: List, items: [[1]]}', 'items[0] is no object'],
]

for (const [what, content, message] of files)
  test(`a file of ${what} is refused: ${message}`, async () => {
    writeFileSync(join(path, `${what}.yaml`), content)
    const text = await said(`${what}.yaml`)
    assert.ok(text.startsWith(`${what}.yaml:`) && text.includes(message), text)
  })

const isPosix = process.platform !== 'win32'

test('what is no file in a folder is named; links to folders are not followed', { skip: !isPosix && 'no named pipes' }, async () => {
  for (const name of ['pipe', 'gone', 'self', 'folder']) mkdirSync(join(path, name))
  execFileSync('mkfifo', [join(path, 'pipe/a.yaml')])
  symlinkSync('/nowhere', join(path, 'gone/a.yaml'))
  symlinkSync('a.yaml', join(path, 'self/a.yaml'))
  symlinkSync('.', join(path, 'folder/a.yaml'))
  symlinkSync('.', join(path, 'folder/again'))
  assert.equal(await said('pipe'), 'check: pipe/a.yaml: not a file')
  assert.equal(await said('gone'), 'check: gone/a.yaml: no such file or directory')
  assert.match(await said('self'), /^check: self\/a\.yaml: .*ELOOP|too many/)
  assert.equal(await said('folder'), 'check: folder/a.yaml: not a file')
})

test('a pipe that is named is read to its end; a device without an end is refused', {
  skip: !existsSync('/dev/zero') && 'no devices',
}, async () => {
  execFileSync('mkfifo', [join(path, 'given')])
  const writer = spawn('sh', ['-c', `printf '${head.replaceAll('\n', '\\n')}datas: {}\\n' > '${join(path, 'given')}'`])
  assert.equal(await said('given'), 'given:4: ConfigMap x: unknown field "datas"')
  if (writer.exitCode === null) await once(writer, 'exit')
  symlinkSync('/dev/zero', join(path, 'zero'))
  assert.equal(await said('zero'), 'check: zero: larger than 268435456 bytes')
})
