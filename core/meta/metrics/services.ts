import type { AllocationObserver } from '../../registry/allocators/observer.ts'
import type { MetricsRegistry } from './registry.ts'
import { serviceRows as rows } from './rows/services.ts'

export function createAllocationMetrics(registry: MetricsRegistry): AllocationObserver {
  const addresses = registry.counter(rows.addresses)
  const addressErrors = registry.counter(rows.addressErrors)
  const durations = registry.histogram(rows.durations)
  const takenAddresses = registry.gauge(rows.takenAddresses)
  const freeAddresses = registry.gauge(rows.freeAddresses)
  const ports = registry.counter(rows.ports)
  const portErrors = registry.counter(rows.portErrors)
  const takenPorts = registry.gauge(rows.takenPorts)
  const freePorts = registry.gauge(rows.freePorts)
  return {
    addresses: {
      allocated(range, scope, milliseconds) {
        addresses.add([range, scope])
        durations.observe([range], milliseconds / 1000)
      },
      failed: (range, scope) => addressErrors.add([range, scope]),
      used(range, taken, free) {
        takenAddresses.set([range], taken)
        freeAddresses.set([range], free)
      },
    },
    ports: {
      allocated: (scope) => ports.add([scope]),
      failed: (scope) => portErrors.add([scope]),
      used(taken, free) {
        takenPorts.set([], taken)
        freePorts.set([], free)
      },
    },
  }
}
