/** Bodies of the interface's requests. The OpenAPI document is made of them. */
import * as z from 'zod/mini'
import { serverName } from './front.ts'

const described = <S extends z.ZodMiniType>(schema: S, description: string): S => schema.check(z.describe(description)) as S

const label = z.string().check(z.regex(serverName, 'must be a DNS label of at most 63 characters: a-z, 0-9 and -'))
const name = described(label, 'A DNS label (RFC 1123).')
const count = z.int().check(z.minimum(1))
const object = z.record(z.string(), z.unknown())
/** Checked when they are applied. */
const manifests = described(
  z.union([z.string(), z.array(z.looseObject({ apiVersion: z.string(), kind: z.string() }))]),
  'YAML or JSON text with any number of documents, or a list of objects.',
)

const limits = z.strictObject({
  storedBytes: described(z.optional(count), 'Maximum bytes of stored objects, each of which counts as 1 KiB besides.'),
  requestsInFlight: described(z.optional(count), 'Maximum requests at a time, watches included.'),
  requestBytes: described(z.optional(count), 'Maximum bytes of the body of a request.'),
})

const choices = {
  name,
  ttlSeconds: described(z.optional(z.number().check(z.positive())), 'Seconds after which the server is deleted.'),
  limits: described(z.optional(limits), 'Limits below those of the process.'),
}

const snapshotName = described(label, 'Name of a snapshot.')
const texts = z.union([z.string(), z.array(z.string())])

export const create = z.strictObject({
  ...choices,
  options: described(
    z.optional(object),
    'Options of startTestServer that are plain data. By default requests need a token and rights (RBAC).',
  ),
  manifests: z.optional(manifests),
})
export const fork = z.strictObject({
  ...choices,
  snapshot: described(z.optional(snapshotName), 'Fork this snapshot instead of the present state.'),
})
export const snapshot = z.strictObject({ name: snapshotName })
export const restore = z.strictObject({ snapshot: snapshotName })
export const load = z.strictObject({ manifests })
export const clock = z.strictObject({
  time: described(
    z.optional(z.iso.datetime({ offset: true })),
    'Sets the clock (RFC 3339); a later time lets expire what expires until then.',
  ),
  advanceSeconds: described(z.optional(z.number().check(z.nonnegative())), 'Advances the clock, after `time`.'),
  frozen: described(z.optional(z.boolean()), 'Stops the clock, or lets it continue.'),
})
export const fault = described(
  z.looseObject({ verb: z.optional(texts), resource: z.optional(texts) }),
  'A fault of the test harness: `then` is a status, lose, break, stop, stale, drop or {latency|late|hold: milliseconds}; verb, resource, namespace, name and user select requests; after, times, share and seed select some of them.',
)
export const webhooks = z.strictObject({
  manifests,
  answers: described(
    z.record(z.string(), z.union([z.strictObject({ url: z.url({ protocol: /^https?$/ }) }), z.looseObject({ allowed: z.boolean() })])),
    'By the name of the webhook: a URL that gets the AdmissionReview, or the response that answers each.',
  ),
})

/** What the interface says of a server. */
export const server = z.object({
  name,
  url: described(z.string(), "The server's URL, for clients of its API."),
  created: z.iso.datetime(),
  expires: z.optional(z.iso.datetime()),
  awake: z.boolean(),
  requestsInFlight: z.int(),
  limits,
  options: object,
})
