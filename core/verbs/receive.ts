import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { receiveBody } from '../request/body.ts'
import type { BodyServices, Target } from './services.ts'

const verbs: { readonly [verb: string]: string } = { deletecollection: 'delete_collection' }

/** As `receiveBody`, and records the size. */
export const receive = ({ metrics }: BodyServices, { exchange, resource }: Target): MaybePromise<Uint8Array> =>
  then(receiveBody(exchange), (bytes) => {
    const { verb } = exchange.info
    exchange.span?.event('limitedReadBody succeeded', { len: bytes.length })
    metrics.bodySizes.observe([resource.groupResource.resource, verbs[verb] ?? verb, resource.groupResource.group], bytes.length)
    return bytes
  })
