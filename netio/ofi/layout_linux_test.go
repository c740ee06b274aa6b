//go:build amd64 || arm64

package ofi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestLayout compares the structures of this package with the headers of libfabric-dev, by a C program.
func TestLayout(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	if _, err := os.Stat("/usr/include/rdma/fabric.h"); err != nil {
		t.Skip("there are no headers: install libfabric-dev")
	}
	var i fiInfo
	var tx txAttr
	var ep epAttr
	var d domainAttr
	var fa fabricAttr
	var o object
	var e endpoint
	var m memoryRegion
	var cq cqAttr
	var av avAttr
	var ce cqEntry
	var cr cqError
	var rm rmaMessage
	var mm message
	offsets := map[string]uintptr{
		"fi_info,caps": unsafe.Offsetof(i.caps), "fi_info,mode": unsafe.Offsetof(i.mode),
		"fi_info,tx_attr": unsafe.Offsetof(i.tx),
		"fi_info,ep_attr": unsafe.Offsetof(i.ep), "fi_info,domain_attr": unsafe.Offsetof(i.domain),
		"fi_info,fabric_attr": unsafe.Offsetof(i.fabric),
		"fi_info,nic":         unsafe.Offsetof(i.nic), "fi_tx_attr,op_flags": unsafe.Offsetof(tx.opFlags),
		"fi_ep_attr,type": unsafe.Offsetof(ep.kind), "fi_ep_attr,max_msg_size": unsafe.Offsetof(ep.messageMax),
		"fi_domain_attr,threading": unsafe.Offsetof(d.threading), "fi_domain_attr,data_progress": unsafe.Offsetof(d.data),
		"fi_domain_attr,mr_mode": unsafe.Offsetof(d.mrMode), "fi_domain_attr,mr_key_size": unsafe.Offsetof(d.keyBytes),
		"fi_fabric_attr,prov_name": unsafe.Offsetof(fa.provider), "fid_domain,ops": unsafe.Offsetof(o.ops),
		"fid_domain,mr": unsafe.Offsetof(o.mr),
		"fid_ep,ops":    unsafe.Offsetof(e.ops), "fid_ep,cm": unsafe.Offsetof(e.cm), "fid_ep,msg": unsafe.Offsetof(e.msg),
		"fid_ep,rma":      unsafe.Offsetof(e.rma),
		"fid_mr,mem_desc": unsafe.Offsetof(m.desc), "fid_mr,key": unsafe.Offsetof(m.key),
		"fi_cq_attr,format":   unsafe.Offsetof(cq.format),
		"fi_cq_attr,wait_obj": unsafe.Offsetof(cq.wait), "fi_av_attr,type": unsafe.Offsetof(av.kind),
		"fi_av_attr,flags":       unsafe.Offsetof(av.flags),
		"fi_av_attr,count":       unsafe.Offsetof(av.count),
		"fi_cq_data_entry,flags": unsafe.Offsetof(ce.flags), "fi_cq_data_entry,len": unsafe.Offsetof(ce.length),
		"fi_cq_data_entry,buf": unsafe.Offsetof(ce.buffer),
		"fi_cq_err_entry,err":  unsafe.Offsetof(cr.err), "fi_cq_err_entry,flags": unsafe.Offsetof(cr.flags),
		"fi_msg_rma,rma_iov": unsafe.Offsetof(rm.remote), "fi_msg_rma,context": unsafe.Offsetof(rm.context),
		"fi_msg_rma,addr": unsafe.Offsetof(rm.peer),
		"fi_msg,context":  unsafe.Offsetof(mm.context), "fi_msg,addr": unsafe.Offsetof(mm.peer),
		"fi_ops,close": opClose * 8, "fi_ops,bind": opBind * 8, "fi_ops,control": opControl * 8,
		"fi_ops_ep,setopt":     opSetOption * 8,
		"fi_ops_fabric,domain": opDomain * 8, "fi_ops_fabric,trywait": opTryWait * 8, "fi_ops_domain,av_open": opAV * 8,
		"fi_ops_domain,cq_open": opCQ * 8, "fi_ops_domain,endpoint": opEndpoint * 8, "fi_ops_mr,reg": opRegister * 8,
		"fi_ops_av,insert": opInsert * 8,
		"fi_ops_cq,read":   opRead * 8, "fi_ops_cq,readerr": opReadError * 8, "fi_ops_cm,getname": opGetName * 8,
		"fi_ops_msg,recvmsg": opRecvMsg * 8,
		"fi_ops_msg,send":    opSend * 8, "fi_ops_rma,read": opRMARead * 8, "fi_ops_rma,writemsg": opRMAWriteMsg * 8,
	}
	sizes := map[string]uintptr{
		"fi_info": unsafe.Sizeof(i), "fi_cq_data_entry": unsafe.Sizeof(ce), "fi_msg_rma": unsafe.Sizeof(rm),
		"fi_msg":          unsafe.Sizeof(mm),
		"fi_cq_err_entry": unsafe.Sizeof(cr), "fi_cq_attr": unsafe.Sizeof(cq),
	}
	values := map[string]uint64{
		"FI_MSG": capMsg, "FI_RMA": capRMA, "FI_READ": flagRead, "FI_WRITE": flagWrite, "FI_RECV": flagRecv,
		"FI_SEND":        flagSend,
		"FI_REMOTE_READ": flagRemoteRead, "FI_REMOTE_WRITE": flagRemoteWrit, "FI_MULTI_RECV": flagMultiRecv,
		"FI_DELIVERY_COMPLETE": flagDelivered,
		"FI_SOURCE":            flagSource, "FI_CONTEXT": modeContext, "FI_CONTEXT2": modeContext2, "FI_MR_LOCAL": mrLocal,
		"FI_MR_VIRT_ADDR": mrVirtual,
		"FI_MR_ALLOCATED": mrAllocated, "FI_MR_PROV_KEY": mrProvKey, "FI_MR_ENDPOINT": mrEndpoint, "FI_EP_RDM": kindRDM,
		"FI_THREAD_DOMAIN":   threadDomain,
		"FI_PROGRESS_MANUAL": progressManual, "FI_AV_TABLE": vectorTable, "FI_CQ_FORMAT_DATA": formatData,
		"FI_WAIT_FD": waitDescriptor,
		"FI_ENABLE":  controlEnable, "FI_GETWAIT": controlGetWait, "FI_OPT_ENDPOINT": optionEndpoint,
		"FI_OPT_MIN_MULTI_RECV": optionMinMulti,
		"FI_EAGAIN":             errAgainNumber, "FI_ENODATA": errNoDataNumber,
		"FI_EAVAIL": errAvailable, "FI_WAIT_NONE": waitNone,
	}
	var source strings.Builder
	for _, h := range []string{"fabric", "fi_domain", "fi_endpoint", "fi_cm", "fi_rma", "fi_eq", "fi_errno"} {
		fmt.Fprintf(&source, "#include <rdma/%s.h>\n", h)
	}
	source.WriteString("#include <stddef.h>\n")
	for name, at := range offsets {
		fmt.Fprintf(&source, "_Static_assert(offsetof(struct %s) == %d, \"%s\");\n", name, at, name)
	}
	for name, n := range sizes {
		fmt.Fprintf(&source, "_Static_assert(sizeof(struct %s) <= %d, \"size of %s\");\n", name, n, name)
	}
	for name, v := range values {
		fmt.Fprintf(&source, "_Static_assert((unsigned long long)(%s) == %dULL, \"%s\");\n", name, v, name)
	}
	file := filepath.Join(t.TempDir(), "layout.c")
	require.NoError(t, os.WriteFile(file, []byte(source.String()), 0o600))
	out, err := exec.Command(cc, "-std=c11", "-fsyntax-only", file).CombinedOutput()
	require.NoError(t, err, string(out))
}
