/** The options of a server that flags set. */
import type { AuthorizationFiles } from '../access/authz/configured.ts'
import { defaultAdmissionPlugins } from '../admission/plugins/index.ts'
import type { ServerOptions } from '../options/index.ts'
import type { Flag } from './flag.ts'
import { switchesOfApis, switchesOfGates } from './gates.ts'
import type { ParsedFlags } from './parse.ts'
import { flags as allFlags, type FlagName } from './rows/index.ts'
import { flagValues } from './values.ts'

/** The deprecated `--admission-control` lists all plugins to run; the two newer flags change the default set. */
function plugins(flags: ParsedFlags): NonNullable<ServerOptions['admissionPlugins']> {
  const only = flags.get('admission-control')
  if (only.length === 0) return { enable: flags.get('enable-admission-plugins'), disable: flags.get('disable-admission-plugins') }
  return { enable: only, disable: defaultAdmissionPlugins.filter((name) => !only.includes(name)) }
}

/** The embedded store has no other readers: unless the flag is set it holds JSON, which is served without decoding. */
const storageMediaType = (flags: ParsedFlags) =>
  flags.isSet('storage-media-type') || flags.get('kvstore-servers').length > 0 ? flags.get('storage-media-type') : 'application/json'

/** Encryption at rest, when a file configures it. */
function encryption(flags: ParsedFlags): Pick<ServerOptions, 'encryption'> {
  const file = flags.get('encryption-provider-config')
  if (!file) return {}
  return { encryption: { file, automaticReload: flags.get('encryption-provider-config-automatic-reload') ?? false } }
}

/** Files for calls to node agents. */
function nodeAgents(flags: ParsedFlags): Pick<ServerOptions, 'nodeAgentFiles'> {
  const [certificateAuthority, clientCertificate] = [
    flags.get('nodeagent-certificate-authority'),
    flags.get('nodeagent-client-certificate'),
  ]
  const clientKey = flags.get('nodeagent-client-key')
  return {
    nodeAgentFiles: {
      ...(certificateAuthority && { certificateAuthority }),
      ...(clientCertificate && { clientCertificate }),
      ...(clientKey && { clientKey }),
    },
  }
}

/** Files for calls to aggregated API servers. */
function proxyClient(flags: ParsedFlags): Pick<ServerOptions, 'proxyClientFiles'> {
  const [certificate, key] = [flags.get('proxy-client-cert-file'), flags.get('proxy-client-key-file')]
  return { proxyClientFiles: { ...(certificate && { certificate }), ...(key && { key }) } }
}

/** Files of authorizers. */
function authorizationFiles(flags: ParsedFlags): AuthorizationFiles {
  const [configuration, policy] = [flags.get('authorization-config'), flags.get('authorization-policy-file')]
  const connection = flags.get('authorization-webhook-config-file')
  return {
    ...(configuration && { configuration }),
    ...(policy && { policy }),
    ...(connection && {
      webhook: {
        connection,
        version: flags.get('authorization-webhook-version'),
        authorizedTtl: flags.get('authorization-webhook-cache-authorized-ttl'),
        unauthorizedTtl: flags.get('authorization-webhook-cache-unauthorized-ttl'),
      },
    }),
  }
}

/** Options that flags set one by one: their rows say which. @throws FlagError */
function single(flags: ParsedFlags): ServerOptions {
  const rows: [string, Flag][] = Object.entries(allFlags)
  const values = rows.flatMap(([flag, { option }]) => {
    const value = option?.of(flags.get(flag as FlagName))
    return option === undefined || value === undefined ? [] : [[option.name, value] as const]
  })
  return Object.fromEntries(values)
}

/** Options of the core, without those of the host and its files. @throws FlagError */
export function optionsOfFlags(flags: ParsedFlags): ServerOptions {
  return {
    platform: flags.platform,
    flags: flagValues(flags),
    ...single(flags),
    admissionPlugins: plugins(flags),
    ...encryption(flags),
    ...nodeAgents(flags),
    ...proxyClient(flags),
    authorizationFiles: authorizationFiles(flags),
    storageMediaType: storageMediaType(flags),
    tolerationSeconds: {
      notReady: flags.get('default-not-ready-toleration-seconds'),
      unreachable: flags.get('default-unreachable-toleration-seconds'),
    },
    featureGates: switchesOfGates(flags),
    runtimeConfig: switchesOfApis(flags),
  }
}
