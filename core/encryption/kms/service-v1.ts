import type { Outbound } from '../../ports.ts'
import { TransformError } from '../transformer.ts'
import { v1 } from './messages.ts'
import { askPlugin, type PluginOptions } from './plugin.ts'

/** A version 1 plugin: it encrypts and decrypts data keys. */
export interface ServiceV1 {
  encrypt(plain: Uint8Array): Promise<Uint8Array>
  decrypt(cipher: Uint8Array): Promise<Uint8Array>
}

const version = 'v1beta1'

/** The version is requested before the first other call, and again until that succeeds. */
export function serviceV1(outbound: Pick<Outbound, 'call'>, options: PluginOptions): ServiceV1 {
  const ask = askPlugin(outbound, v1.service, options)
  let checked: Promise<void> | undefined

  async function checkVersion(): Promise<void> {
    const answer = await ask('Version', v1.VersionRequest, { version }, v1.VersionResponse).catch((error: Error) => {
      throw new TransformError(`failed get version from remote KMS provider: ${error.message}`)
    })
    if (answer.version !== version)
      throw new TransformError(`KMS provider api version ${answer.version} is not supported, only ${version} is supported now`)
  }

  function ready(): Promise<void> {
    checked ??= checkVersion().catch((error: unknown) => {
      checked = undefined
      throw error
    })
    return checked
  }

  return {
    async encrypt(plain) {
      await ready()
      return (await ask('Encrypt', v1.EncryptRequest, { version, plain }, v1.EncryptResponse)).cipher
    },
    async decrypt(cipher) {
      await ready()
      return (await ask('Decrypt', v1.DecryptRequest, { version, cipher }, v1.DecryptResponse)).plain
    },
  }
}
