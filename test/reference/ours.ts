/** Our daemon, started with the settings that the reference has. */
import { generateKeyPairSync } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { controllerNames } from '../../core/controllers/index.ts'
import { bundle, type Command, startDaemon } from '../support/daemon.ts'
import { temporaryDirectory } from '../support/temporary.ts'

export const adminToken = 'reference-admin'
/** A user without rights, in group `dev`. The reference needs it too, with the same token. */
export const aliceToken = 'reference-alice'

export interface Ours {
  readonly url: string
  /** The program under the name kube-apiserver. */
  readonly program: Command
  stop(): Promise<void>
}

let accountsKey: string | undefined

/** A private key for tokens of service accounts, PEM; the same one for the whole run. */
export function serviceAccountKey(): string {
  accountsKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey
  return accountsKey
}

/** Resolves when it serves. No built-in controller runs, as none runs beside the reference. `flags`: those of a part. */
export async function startOurs(flags: readonly string[] = []): Promise<Ours> {
  const { path, remove } = temporaryDirectory('reference')
  const tokens = join(path, 'tokens.csv')
  const key = join(path, 'accounts.key')
  writeFileSync(tokens, `${adminToken},admin,admin-uid,"system:masters"\n${aliceToken},alice,alice-uid,"dev"\n`)
  writeFileSync(key, serviceAccountKey())
  const daemon = await startDaemon({
    flags: [
      '--platform=kubernetes',
      '--data-dir=:memory:',
      `--token-auth-file=${tokens}`,
      `--controllers=${controllerNames.map((name) => `-${name}`).join(',')}`,
      '--allow-privileged=true',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
      '--requestheader-allowed-names=front-proxy',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth',
      ...flags,
    ],
  })
  const link = join(path, 'kube-apiserver')
  symlinkSync(bundle, link)
  return {
    url: daemon.url,
    program: [process.execPath, link],
    async stop() {
      await daemon.stop()
      remove()
    },
  }
}
