/** Validates DNS settings and host names of pods. */
import type { FieldErrors } from '../../schema/field-error.ts'
import type { FieldPath } from '../../schema/field-path.ts'
import type { Infer } from '../../schema/model.ts'
import { validateAddress, validateFormat } from '../validation.ts'
import type { HostAlias, PodSpec as PodSpecSchema } from './pod-spec.ts'

type PodSpec = Infer<typeof PodSpecSchema>

/** Limits of resolv.conf(5). */
const maxServers = 3
const maxSearches = 32
const maxSearchLength = 2048

const searchPattern = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*'
const isSearch = (name: string) => name.split('.').every((label) => /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/.test(label))
const searchMessage = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${searchPattern}')`
const maxNameLength = 253

/** Labels of search domains may start with an underscore, as in SRV records. */
function validateSearch(search: string, path: FieldPath, errors: FieldErrors): void {
  if (search === '.') return
  const name = search.endsWith('.') ? search.slice(0, -1) : search
  if (name.length > maxNameLength) errors.invalid(path, name, `must be no more than ${maxNameLength} characters`)
  if (!isSearch(name)) errors.invalid(path, name, searchMessage)
}

export function validateDNS({ dnsPolicy, dnsConfig }: PodSpec, path: FieldPath, errors: FieldErrors) {
  if (dnsPolicy === 'None' && !dnsConfig) return errors.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')
  if (!dnsConfig) return
  const { nameservers = [], searches = [], options = [] } = dnsConfig
  const servers = path.child('nameservers')
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    return errors.required(servers, 'must provide at least one DNS nameserver when `dnsPolicy` is None')
  }
  if (nameservers.length > maxServers) errors.invalid(servers, nameservers, `must not have more than ${maxServers} nameservers`)
  for (const [index, server] of nameservers.entries()) validateAddress(server, 'ip', servers.index(index), errors)
  const at = path.child('searches')
  if (searches.length > maxSearches) errors.invalid(at, searches, `must not have more than ${maxSearches} search paths`)
  if (searches.join(' ').length > maxSearchLength) {
    errors.invalid(at, searches, `must not have more than ${maxSearchLength} characters (including spaces) in the search list`)
  }
  for (const [index, search] of searches.entries()) validateSearch(search, at.index(index), errors)
  options.forEach(({ name }, index) => {
    if (!name) errors.required(path.child('options').index(index), 'must not be empty')
  })
}

export function validateHostAliases(aliases: readonly Infer<typeof HostAlias>[], path: FieldPath, errors: FieldErrors): void {
  aliases.forEach(({ ip, hostnames = [] }, index) => {
    const at = path.index(index)
    validateAddress(ip, 'ip', at.child('ip'), errors)
    for (const [host, name] of hostnames.entries()) validateFormat(name, 'dns1123Subdomain', at.child('hostnames').index(host), errors)
  })
}

const maxHostnameLength = 64

export function validateHostnameOverride(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
) {
  if (name === undefined) return
  if (setHostnameAsFQDN) errors.forbidden(path, 'may not be specified when setHostnameAsFQDN is true')
  if (hostNetwork) errors.forbidden(path, 'may not be specified when hostNetwork is true')
  if (name.length > maxHostnameLength) errors.tooLong(path, maxHostnameLength)
  validateFormat(name, 'dns1123Subdomain', path, errors)
}
