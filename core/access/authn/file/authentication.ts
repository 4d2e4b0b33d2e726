import * as z from 'zod/mini'
import { bool, list, optional, text, typeMeta } from '../../../config/files/fields.ts'
import { fileKind } from '../../../config/files/kind.ts'
import { FieldPath } from '../../../schema/field-path.ts'
import { createJwtCompiler } from '../jwt/expressions.ts'
import { validateClaims } from './claims.ts'
import { validateIssuer, validateUnique } from './issuer.ts'
import { jwtAuthenticator } from './jwt.ts'

const schema = z.strictObject({
  ...typeMeta,
  jwt: list(jwtAuthenticator),
  anonymous: optional(z.strictObject({ enabled: bool, conditions: list(z.strictObject({ path: text })) })),
})

export type AuthenticationConfiguration = z.output<typeof schema>

const maxAuthenticators = 64

export const authenticationConfiguration = fileKind({
  kinds: [
    {
      kind: 'AuthenticationConfiguration',
      versions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.<domain>/${version}`),
    },
  ],
  schema,
  validate({ jwt, anonymous }, errors, context) {
    const root = FieldPath.of('jwt')
    if (jwt.length > maxAuthenticators) errors.tooMany(root, jwt.length, maxAuthenticators)
    const compiler = createJwtCompiler()
    for (const [index, each] of jwt.entries()) {
      validateIssuer(each.issuer, root.index(index).child('issuer'), errors, context)
      validateClaims(each, root.index(index), compiler, errors, context)
    }
    validateUnique(jwt, root, errors)
    const conditions = FieldPath.of('anonymous', 'conditions')
    if (anonymous && !anonymous.enabled && anonymous.conditions.length > 0) {
      errors.invalid(conditions, anonymous.conditions, 'enabled should be set to true when conditions are defined')
    }
    for (const [index, { path }] of (anonymous?.conditions ?? []).entries()) {
      if (path === '') errors.required(conditions.index(index).child('path'))
    }
  },
})
