/** Authorizers from flags and files. */

import { loadFile } from '../../../config/files/load.ts'
import { ourWords } from '../../../config/words.ts'
import type { WebhookConnection } from '../../../outgoing/webhook/connection.ts'
import { loadConnectionFile, tokenFileHeader } from '../../../outgoing/webhook/connection-file.ts'
import type { Platform } from '../../../platform.ts'
import { messageOf } from '../../../schema/message-of.ts'
import type { Authorizer } from '../authorizer.ts'
import type { AuthorizationContext, AuthorizationFiles } from '../configured.ts'
import { compileMatchConditions } from '../match-conditions.ts'
import { webhookAuthorizer } from '../webhook.ts'
import { authorizationConfiguration, type WebhookAuthorizer } from './authorization.ts'

/** One authorizer: a mode, or the settings of a webhook. */
export interface Row {
  readonly type: string
  readonly name?: string
  readonly webhook?: (context: AuthorizationContext) => Promise<Authorizer>
}

/** Default timeout in milliseconds of a call. */
const webhookTimeout = 30_000

/** The webhook of the `--authorization-webhook-*` flags. */
export function rowOfFlags({ webhook }: AuthorizationFiles): Row {
  if (webhook === undefined) throw new Error('authorization mode Webhook needs a connection file')
  const { connection, ...settings } = webhook
  const name = 'default'
  return {
    type: 'Webhook',
    name,
    webhook: async ({ platform, ports, metrics }) =>
      webhookAuthorizer(
        {
          ...settings,
          name,
          connection: await loadConnectionFile(connection, ports, 'controlplane'),
          timeout: webhookTimeout,
          onFailure: 'no-opinion',
        },
        { ...ports, logger: ports.telemetry.logger, platform, metrics },
      ),
  }
}

/** @throws ConfigurationFileError with all problems. */
export function rowsOfFile(text: string, path: string, platform: Platform): Row[] {
  const { authorizers } = loadFile(authorizationConfiguration, text, path, platform)
  return authorizers.map(({ type, name, webhook }, index) => ({
    type,
    name,
    ...(webhook && {
      webhook: (context: AuthorizationContext) =>
        createWebhook(name, webhook, context).catch((error: unknown) => {
          throw new Error(`${path}: authorizers[${index}].${messageOf(error)}`)
        }),
    }),
  }))
}

async function createWebhook(name: string, settings: WebhookAuthorizer, context: AuthorizationContext): Promise<Authorizer> {
  const { platform, ports, metrics } = context
  const expressions = settings.matchConditions.map(({ expression }) => expression)
  const conditions = compileMatchConditions(expressions, (index, message) => {
    throw new Error(`matchConditions[${index}].expression: ${message}`)
  })
  return webhookAuthorizer(
    {
      name,
      version: settings.subjectAccessReviewVersion === 'v1' ? 'v1' : 'v1beta1',
      connection: await connect(settings.connectionInfo, context),
      authorizedTtl: settings.cacheAuthorizedRequests ? settings.authorizedTTL : 0,
      unauthorizedTtl: settings.cacheUnauthorizedRequests ? settings.unauthorizedTTL : 0,
      timeout: settings.timeout,
      onFailure: settings.failurePolicy === 'Deny' ? 'deny' : 'no-opinion',
      ...(conditions && { conditions }),
    },
    { ...ports, logger: ports.telemetry.logger, platform, metrics },
  )
}

/** Loads a connection file; errors name the field that refers to it. */
async function readConnection(path: string, ports: AuthorizationContext['ports']): Promise<WebhookConnection> {
  try {
    return await loadConnectionFile(path, ports, 'controlplane')
  } catch (error) {
    throw new Error(`connectionInfo.kubeConfigFile: ${messageOf(error)}`)
  }
}

/** Directory in pods with the token and the cluster's CA. */
const podFiles = '/var/run/secrets/<labels>/serviceaccount'

async function connect(info: WebhookAuthorizer['connectionInfo'], context: AuthorizationContext): Promise<WebhookConnection> {
  const { platform, ports, files } = context
  if (ourWords(info.type, platform) === 'PlatformConfigFile') return readConnection(info.platformConfigFile ?? '', ports)
  if (files.clusterServer === undefined) throw new Error('connectionInfo.type: InClusterConfig: this process is not in a pod of a cluster')
  const directory = platform.name(podFiles)
  return {
    url: files.clusterServer,
    options: { egress: 'controlplane', certificateAuthority: new TextDecoder().decode(await ports.files.read(`${directory}/ca.crt`)) },
    authorization: tokenFileHeader(`${directory}/token`, ports),
  }
}
