/** The environment of a kubectl test: a daemon, a kubectl, and a namespace. */
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Api, apiOf, type TestObject } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { type Kubectl, type KubectlBinary, kubectls, kubectlWith, type Ran, type Running, type RunOptions } from '../support/kubectl.ts'
import { temporaryDirectory } from '../support/temporary.ts'

export interface Desk {
  readonly api: Api
  readonly namespace: string
  readonly minor: number
  /** Without a namespace. */
  readonly kubectl: Kubectl
  /** Runs kubectl in the namespace. Arguments in one string are separated by single spaces. */
  k(command: string, ...more: string[]): Promise<string>
  try(command: string, options?: RunOptions): Promise<Ran>
  start(command: string): Running
  /** A field of a stored object, read without kubectl, such as `.spec.ports[0]` of `deployment web`; '' when missing. */
  stored(what: string, path: string): Promise<string>
  /** Writes a temporary file of the test and returns its path. */
  file(name: string, content: string | object): string
  /** An executable shell script that gets the edited file as `$1`. */
  script(name: string, body: string): string
}

/** Namespaced collections by the names used in tests. */
const collections: { readonly [name: string]: readonly [groupVersion: string, plural: string] } = {
  cm: ['api/v1', 'configmaps'],
  configmap: ['api/v1', 'configmaps'],
  pod: ['api/v1', 'pods'],
  service: ['api/v1', 'services'],
  daemonsets: ['apis/apps/v1', 'daemonsets'],
  deployment: ['apis/apps/v1', 'deployments'],
  rs: ['apis/apps/v1', 'replicasets'],
  statefulsets: ['apis/apps/v1', 'statefulsets'],
  rolebinding: ['apis/rbac.authorization.k8s.io/v1', 'rolebindings'],
}

async function readObject(api: Api, namespace: string, what: string): Promise<TestObject> {
  const [kind = '', name] = what.split(' ')
  const [groupVersion, plural] = collections[kind] ?? assert.fail(`no collection is called ${kind}`)
  const { status, body } = await api.get(`/${groupVersion}/namespaces/${namespace}/${plural}/${name}`)
  assert.equal(status, 200, what)
  return body
}

/** The value at a path such as `.spec.ports[0]`, as text. */
function printField(object: unknown, path: string): string {
  assert.match(path, /^(\.\w+|\[\d+\])+$/)
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  const value = names.reduce<unknown>((from, name) => (from as { [name: string]: unknown } | undefined)?.[name], object)
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export type Desks = (title: string, run: (desk: Desk) => Promise<void>, since?: number) => void

interface Office {
  desk(): Promise<Desk>
  close(): void
}

/** Runs these tests with each kubectl, each with its own daemon. Cases with commands that an old kubectl lacks are skipped. */
export function withEachKubectl(title: string, works: readonly ((on: Desks) => void)[]): void {
  const found = kubectls()
  if (found.length === 0) test(title, { skip: 'no kubectl on PATH or in KUBECTL_PATHS' }, () => {})
  describe(title, { concurrency: 2 }, () => {
    for (const binary of found) {
      describe(`kubectl ${binary.version}`, () => {
        let daemon: Daemon | undefined
        let office: Office | undefined
        before(async () => {
          daemon = await startDaemon()
          office = officeOf(binary, daemon)
        })
        after(async () => {
          office?.close()
          await daemon?.stop()
        })
        const on: Desks = (title, run, since = 0) => {
          const skip = binary.minor < since && `kubectl ${binary.version} has no such command, 1.${since} has`
          test(title, { skip }, async () => {
            assert(office, 'no daemon')
            await run(await office.desk())
          })
        }
        for (const work of works) work(on)
      })
    }
  })
}

/** Creates environments for one kubectl and one daemon. */
function officeOf(binary: KubectlBinary, daemon: Daemon): Office {
  const home = temporaryDirectory('kubectl')
  const kubectl = kubectlWith(binary, daemon.kubeconfig, home.path)
  const api = apiOf(daemon.fetch)
  let count = 0
  return {
    async desk() {
      const number = ++count
      const namespace = `desk-${binary.minor}-${number}`
      await api.create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } })
      const args = (command: string, more: readonly string[] = []) => [`--namespace=${namespace}`, ...command.split(' '), ...more]
      const file = (name: string, content: string | object) => {
        const path = join(home.path, `${number}-${name}`)
        writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
        return path
      }
      return {
        api,
        namespace,
        minor: binary.minor,
        kubectl,
        k: (command, ...more) => kubectl.run(...args(command, more)),
        try: (command, options) => kubectl.try(args(command), options),
        start: (command) => kubectl.start(...args(command)),
        stored: async (what, path) => printField(await readObject(api, namespace, what), path),
        file,
        script(name, body) {
          const path = file(name, `#!/bin/sh\nset -e\n${body}\n`)
          chmodSync(path, 0o755)
          return path
        },
      }
    },
    close: home.remove,
  }
}

/** Rows of a table printed by kubectl, the header first, split at two or more spaces. */
export const rows = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split(/ {2,}/))
