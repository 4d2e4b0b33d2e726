/** Randomly changed configuration files: each loads or is refused with errors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticationConfiguration } from '../../../../../core/access/authn/file/authentication.ts'
import { ConfigurationFileError } from '../../../../../core/config/files/error.ts'
import { loadFile } from '../../../../../core/config/files/load.ts'
import { createPlatform } from '../../../../../core/platform.ts'
import { mutate, seeded } from '../../../../support/mutate.ts'
import { trials } from '../../../../support/soak.ts'

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n'
/** Short files in common styles, so that many can be tried. */
const good = [
  `${head}anonymous: {enabled: true, conditions: [{path: /livez}]}\n`,
  `${head}jwt:\n- issuer: {url: https://a, audiences: [me]}\n  claimMappings:\n    username: {claim: sub, prefix: ""}\n`,
  `${head}jwt: [{issuer: {url: "https://a", audiences: [b]}, claimMappings: {username: {expression: "claims.sub"}}}]`,
  `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AuthenticationConfiguration","jwt":[]}`,
]
const words = [
  '&a ',
  '*a',
  '- ',
  ': ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '\n',
  '\t',
  '|',
  '>',
  '!!binary ',
  '? ',
  '%',
  '# ',
  '---\n',
  '<<: *a',
  'null',
  '1e9',
  '__proto__',
  '.?',
  '[?',
  '(((',
  'x',
  '\\',
]

/** Milliseconds of processor time for one file. */
const longest = 5_000

test('changed configuration files', { timeout: 600_000 }, (t) => {
  const platform = createPlatform()
  const load = (text: string) => loadFile(authenticationConfiguration, text, 'f', platform)
  for (const text of good) assert.ok(load(text), 'unchanged files load')
  const random = seeded(36)
  const cases = trials(1_000, 50_000)
  const began = performance.now()
  let loaded = 0
  for (let tried = 0; tried < cases; tried++) {
    const text = mutate(random.pick(good), random, words)
    const start = process.cpuUsage()
    try {
      load(text)
      loaded++
    } catch (error) {
      if (!(error instanceof ConfigurationFileError))
        throw new Error(`neither loads nor is refused: ${JSON.stringify(text)}`, { cause: error })
      assert.ok(error.problems.length > 0, 'a refusal has a reason')
    }
    const { user, system } = process.cpuUsage(start)
    assert.ok((user + system) / 1000 < longest, `takes too long: ${JSON.stringify(text)}`)
  }
  t.diagnostic(`${cases} files, ${loaded} of them load, in ${Math.round(performance.now() - began)} ms`)
})
