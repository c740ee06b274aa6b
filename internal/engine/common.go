package engine

// InCommon is what the ranks of this process have in common under a key: the first one that asks has it made.
func (c *caller) InCommon(key any, make func() any) any {
	c.owned("InCommon was called")
	c.job.mutex.Lock()
	defer c.job.mutex.Unlock()
	if v, ok := c.job.common[key]; ok {
		return v
	}
	v := make()
	if c.job.common == nil {
		c.job.common = map[any]any{}
	}
	c.job.common[key] = v
	return v
}
