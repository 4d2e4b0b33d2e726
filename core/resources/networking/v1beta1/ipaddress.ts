import { resource } from '../../definition.ts'
import { ipAddressColumns } from '../columns.ts'
import { IPAddress } from '../ipaddress.ts'

export const ipAddresses = resource({
  group: 'networking.<domain>',
  version: 'v1beta1',
  kind: 'IPAddress',
  names: ['ipaddresses', 'ipaddress', 'ip'],
  namespaced: false,
  schema: IPAddress,
  columns: ipAddressColumns,
  storageVersion: 'networking.<domain>/v1',
  lifecycle: { introduced: '1.31', deprecated: '1.34', removed: '1.37' },
  nameFormat: 'strictIP',
  strategy: { keepsGenerateName: true },
})
