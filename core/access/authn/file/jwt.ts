/** The fields of one JWT authenticator in an AuthenticationConfiguration. */
import * as z from 'zod/mini'
import { list, optionalText, struct, text } from '../../../config/files/fields.ts'

const prefixed = struct({ claim: text, prefix: optionalText, expression: text })

export const jwtAuthenticator = z.strictObject({
  issuer: struct({
    url: text,
    discoveryURL: text,
    certificateAuthority: text,
    audiences: list(z.string()),
    audienceMatchPolicy: text,
    egressSelectorType: text,
  }),
  claimValidationRules: list(z.strictObject({ claim: text, requiredValue: text, expression: text, message: text })),
  claimMappings: struct({
    username: prefixed,
    groups: prefixed,
    uid: struct({ claim: text, expression: text }),
    extra: list(z.strictObject({ key: text, valueExpression: text })),
  }),
  userValidationRules: list(z.strictObject({ expression: text, message: text })),
})

export type JWTAuthenticator = z.output<typeof jwtAuthenticator>
