/** Servers of one cluster compare their keys of service account tokens: with different ones, each refuses the tokens of the other. */

import type { Platform } from '../../platform.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { ControllerContext } from '../controller.ts'
import { identitySelector } from './identity-lease.ts'

/** Ids of keys, as in tokens and in the issuer's JWKS document. */
export interface AccountKeys {
  readonly signing: string
  readonly accepted: readonly string[]
}

const annotation = (platform: Platform) => platform.name('apiserver.<labels>/service-account-keys')

/** The keys as an annotation of the identity lease: the id of the signing key, then those of all accepted keys. */
export const keysAnnotation = ({ signing, accepted }: AccountKeys, platform: Platform) => ({
  [annotation(platform)]: [signing, ...accepted].join(','),
})

/** Logs a warning for each server whose tokens this one refuses, or which refuses those of this one. Never rejects. */
export async function compareAccountKeys(context: ControllerContext, identity: string, keys: AccountKeys): Promise<void> {
  const { platform, table, logger } = context
  const resource = table.lookup(platform.name('coordination.<domain>'), 'v1', 'leases')
  if (resource === undefined) return
  const isIdentity = identitySelector(platform)
  try {
    const { entries } = await resource.store.list({ namespace: platform.namespaces.system })
    for (const { object } of entries) {
      const { name, labels, annotations } = object.metadata
      const [signing, ...accepted] = annotations?.[annotation(platform)]?.split(',') ?? []
      if (!isIdentity(labels) || name === identity || signing === undefined) continue
      if (keys.accepted.includes(signing) && accepted.includes(keys.signing)) continue
      const what =
        'another server of this cluster has other keys of service accounts: each token is refused by one of the two; give all servers the same keys'
      logger.warn({ server: name, itsKey: signing, ownKey: keys.signing }, what)
    }
  } catch (error) {
    logger.warn({ error: messageOf(error) }, 'the keys of service accounts could not be compared with those of other servers')
  }
}
