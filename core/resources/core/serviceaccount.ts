import { atomicList, bool, field, type HookContext, type Infer, keyedList, pointer } from '../../schema/model.ts'
import { TokenRequest } from '../authentication/tokenrequest.ts'
import { resource } from '../definition.ts'
import { object } from '../meta/object.ts'
import { serviceAccountColumns } from './columns.ts'
import { objectValidation } from './object-validation.ts'
import { LocalObjectReference, ObjectReference } from './references.ts'

export const ServiceAccount = object('ServiceAccount', 'An identity for the processes of pods.', () => ({
  secrets: keyedList(2, ObjectReference, 'name', 'Secrets that its pods may use.'),
  imagePullSecrets: field(3, atomicList(LocalObjectReference), 'Image credentials for its pods.'),
  automountServiceAccountToken: pointer(4, bool, 'Whether pods get its token; pods can decide otherwise.'),
}))

type Account = Infer<typeof ServiceAccount>

/** Annotation that restricts pods to the account's listed secrets. */
const enforces = '<labels>/enforce-mountable-secrets'

function warnOfEnforcement({ metadata }: Account, old: Account | undefined, { platform }: HookContext): string[] {
  const key = platform.name(enforces)
  const isNew = metadata?.annotations?.[key] !== undefined && old?.metadata?.annotations?.[key] === undefined
  const advice = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets'
  return isNew ? [`metadata.annotations[${key}]: ${advice}`] : []
}

/** Secrets are in the account's namespace: of a reference only the name counts. */
function nameSecrets(account: Account): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }))
}

export const serviceAccounts = resource({
  group: '',
  version: 'v1',
  names: ['serviceaccounts', 'serviceaccount', 'sa'],
  metadataOnUpdate: ['update', 'object'],
  schema: ServiceAccount,
  columns: serviceAccountColumns,
  returnsDeleted: true,
  strategy: { prepareCreate: nameSecrets, prepareUpdate: nameSecrets, validate: objectValidation(), warnings: warnOfEnforcement },
  lifecycle: { introduced: '1.0' },
  subresources: [
    {
      name: 'token',
      kind: 'TokenRequest',
      group: 'authentication.<domain>',
      verbs: ['create'],
      schema: TokenRequest,
      action: 'tokenRequest',
    },
  ],
})
