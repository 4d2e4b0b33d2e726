/** Validation of service updates and of load balancer status. */
import type { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { parseAddress } from '../../schema/formats/ip.ts'
import type { Infer } from '../../schema/model.ts'
import { asJson, validateAddress, validateFormat, validateSupported } from '../validation.ts'
import type { Service as ServiceSchema } from './service.ts'
import { validateServiceAddressUpdate } from './service-address-validation.ts'
import { needsHealthCheckPort } from './service-defaults.ts'
import { validateLoadBalancerClass } from './service-validation.ts'

type Service = Infer<typeof ServiceSchema>

export function validateServiceUpdate({ spec = {} }: Service, { spec: old = {} }: Service, errors: FieldErrors): void {
  const path = FieldPath.of('spec')
  validateServiceAddressUpdate(spec, old, errors)
  if (spec.type === 'LoadBalancer' && old.type === 'LoadBalancer' && spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.invalid(path.child('loadBalancerClass'), asJson(spec.loadBalancerClass), 'may not change once set')
  }
  validateLoadBalancerClass(spec, errors)
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.forbidden(path.child('healthCheckNodePort'), 'field is immutable')
  }
}

export function validateServiceStatus({ spec, status }: Service, _old: Service, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress')
  const ingress = status?.loadBalancer?.ingress ?? []
  if (ingress.length > 0 && spec?.type !== 'LoadBalancer') {
    errors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")
    return
  }
  ingress.forEach(({ ip, ipMode, hostname }, index) => {
    const at = path.index(index)
    if (ip) validateAddress(ip, 'ip', at.child('ip'), errors)
    if (ipMode === undefined) {
      if (ip) errors.required(at.child('ipMode'), 'must be specified when `ip` is set')
    } else if (!ip) errors.forbidden(at.child('ipMode'), 'may not be specified when `ip` is not set')
    else validateSupported(ipMode, ['Proxy', 'VIP'], at.child('ipMode'), errors)
    validateIngressHostname(hostname, at.child('hostname'), errors)
  })
}

/** Validates the host name of a place where traffic enters; it may be absent or empty. */
export function validateIngressHostname(name: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (!name) return
  validateFormat(name, 'dns1123Subdomain', path, errors)
  if (parseAddress(name)) errors.invalid(path, name, 'must be a DNS name, not an IP address')
}
