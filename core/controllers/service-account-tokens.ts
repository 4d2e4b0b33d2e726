/**
 * Secrets of the type service-account-token: fills them with token, authority and namespace, deletes them with their account, and removes references
 * to deleted ones from the account (pkg/controller/serviceaccount/tokens_controller.go).
 */

import { eachInSlices, Pauses } from '../common/slices.ts'
import type { StoredObject } from '../objects/storage/stored-object.ts'
import { follow } from '../objects/watch/follow.ts'
import type { Platform } from '../platform.ts'
import type { ApiObject } from '../resources/definition.ts'
import { encodeBase64 } from '../schema/formats/base64.ts'
import { ownWrite } from './client.ts'
import type { Controller } from './controller.ts'
import { core } from './namespaced.ts'
import { createQueue } from './queue.ts'

type Data = { readonly [key: string]: string }

interface Reference {
  readonly name?: string
}

/** The account that a Secret belongs to; the uid is empty before the Secret is filled. */
interface Account {
  readonly name: string
  readonly uid: string
}

const encoded = (text: string) => encodeBase64(new TextEncoder().encode(text))

function accountOf(secret: ApiObject, platform: Platform): Account | undefined {
  if (secret['type'] !== platform.name('<labels>/service-account-token')) return undefined
  const annotation = (name: string) => secret.metadata.annotations?.[platform.name(`<labels>/service-account.${name}`)] ?? ''
  return { name: annotation('name'), uid: annotation('uid') }
}

const isMeant = ({ uid }: Account, account: ApiObject | undefined) => account !== undefined && (uid === '' || uid === account.metadata.uid)

export const serviceAccountTokens: Controller = (context) => {
  const { clock, logger, platform, rootCa, legacyToken } = context
  if (legacyToken === undefined) return () => {}
  const secrets = core(context, 'secrets')
  const accounts = core(context, 'serviceaccounts')
  const pauses = new Pauses(clock)
  const closing = new AbortController()

  async function filled(secret: ApiObject, account: ApiObject): Promise<ApiObject | undefined> {
    const { namespace = '', name = '', annotations } = secret.metadata
    const before = (secret['data'] ?? {}) as Data
    const after: { [key: string]: string } = { ...before }
    if (rootCa !== '') after['ca.crt'] = encoded(rootCa)
    after['namespace'] ||= encoded(namespace)
    if (!after['token']) {
      const { name: accountName = '', uid = '' } = account.metadata
      after['token'] = encoded(await legacyToken!({ namespace, name: accountName, uid, secret: name }))
    }
    if (Object.entries(after).every(([key, value]) => before[key] === value)) return undefined
    const marks = {
      [platform.name('<labels>/service-account.name')]: account.metadata.name ?? '',
      [platform.name('<labels>/service-account.uid')]: account.metadata.uid ?? '',
    }
    return { ...secret, data: after, metadata: { ...secret.metadata, annotations: { ...annotations, ...marks } } }
  }

  async function fill(namespace: string, name: string): Promise<void> {
    const secret = await secrets.client.get(namespace, name)
    const wanted = secret && accountOf(secret, platform)
    if (secret === undefined || wanted === undefined) return
    const account = await accounts.client.get(namespace, wanted.name)
    if (account === undefined || !isMeant(wanted, account)) {
      const { uid } = secret.metadata
      return secrets.client.delete(namespace, name, uid === undefined ? {} : { preconditions: { uid } })
    }
    const changed = await filled(secret, account)
    if (changed) await secrets.client.update(changed)
  }

  /** Removes the reference to a Secret that is gone. */
  async function forget(namespace: string, name: string, owner: Account): Promise<void> {
    if (await secrets.client.get(namespace, name)) return
    const account = await accounts.client.get(namespace, owner.name)
    if (account === undefined || !isMeant(owner, account)) return
    const known = (account['secrets'] ?? []) as readonly Reference[]
    const left = known.filter((each) => each.name !== name)
    if (left.length < known.length) await accounts.client.update({ ...account, secrets: left })
  }

  const queue = createQueue({
    ...context,
    name: 'serviceaccount-token',
    async work(key) {
      const [namespace = '', name = '', account, uid = ''] = key.split('/')
      // A reference has no other event: it is tried again.
      await (account === undefined ? ownWrite(() => fill(namespace, name)) : forget(namespace, name, { name: account, uid }))
    },
  })

  const keyOf = ({ namespace, name }: StoredObject) => `${namespace}/${name}`
  const look = (entry: StoredObject) => {
    if (accountOf(entry.object, platform)) queue.add(keyOf(entry))
  }
  /** Looks at the Secrets of an account that is gone. */
  async function lookAtThoseOf(namespace: string, name: string): Promise<void> {
    const { entries } = await secrets.store.list({ namespace })
    const slices = pauses.slices(() => closing.signal)
    await eachInSlices(entries, slices, (entry) => {
      if (accountOf(entry.object, platform)?.name === name) queue.add(keyOf(entry))
    })
  }

  const followings = [
    follow(secrets.store, clock, {
      upsert: look,
      change({ deleted, entry, previous }) {
        if (!deleted) return
        const owner = accountOf((previous ?? entry).object, platform)
        if (owner && owner.name !== '') queue.add(`${keyOf(entry)}/${owner.name}/${owner.uid}`)
      },
    }),
    follow(accounts.store, clock, {
      change({ deleted, entry }) {
        if (!deleted) return
        const { namespace, name } = entry
        lookAtThoseOf(namespace, name).catch((error: unknown) => {
          logger.warn({ serviceAccount: `${namespace}/${name}`, error }, 'secrets of a deleted service account not found')
        })
      },
    }),
  ]
  return () => {
    closing.abort()
    for (const each of followings) each.close()
    queue.close()
  }
}
