/** The entry point `fetch-apiserver/node`: the parts of the daemon, for programs that assemble a daemon themselves. */
export { OptionError } from '../../core/options/validate.ts'
export { openDurableStore } from '../stores/durable.ts'
export { type EtcdOptions, openEtcdStore } from '../stores/etcd.ts'
export { type Certificates, type Handler, type Listener, type ListenOptions, listen } from './network/listener.ts'
export { createOutbound } from './network/outbound.ts'
export { nodeClock, nodeFiles, nodeLogger } from './start/ports.ts'
